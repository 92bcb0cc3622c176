import type { testSendText as portuguese } from "../test-send.ts";
import type { Texts } from "../texts.ts";

export const testSendText: Texts<typeof portuguese> = {
  open: "Send a test",
  title: "Send a test",
  close: "Close the test",
  number: "Number that receives it",
  numberPlaceholder: "31 90234-1187",
  own: "It is the connected number itself: it arrives in the chat with yourself.",
  toOwn: (phone) => `Use the connected number, ${phone}`,
  notCounted: "It is counted in no campaign.",
  sample: "In place of {nome}",
  send: "Send the test",
  sendAgain: "Send another test",
  sending: "Sending...",
  noConnection: "Connect a WhatsApp number to send a test.",
  connect: "Connect WhatsApp",
  down: (name) => `The connection ${name} is not connected. The test needs it.`,
  seeConnections: "See connections",
  faultyMessage: "Correct the message before you send the test.",
  failed: "The test was not sent",
  result: "Result of the test",
  to: (phone) => `To ${phone}`,
  pending: "Still in the queue of this connection. It leaves as soon as it can.",
  sent: (at) => `WhatsApp accepted it ${at}. The phone has not confirmed it yet.`,
  delivered: (at) => `It reached the phone ${at}.`,
  read: (at) => `It was read ${at}.`,
};
