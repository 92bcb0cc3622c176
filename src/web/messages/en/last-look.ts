import { counted, formatNumber } from "../format.ts";
import type { lastLookText as portuguese } from "../last-look.ts";
import type { Texts } from "../texts.ts";

const duration = (minutes: number) =>
  minutes < 100 ? counted(minutes, "minute", "minutes") : counted(Math.round(minutes / 60), "hour", "hours");

export const lastLookText: Texts<typeof portuguese> = {
  title: "Check before you create it",
  titleScheduled: "Check before you schedule it",
  receive: (count: number) => (count === 1 ? "person gets it" : "people get it"),
  counting: "Counting...",
  uncounted: "The people cannot be counted right now.",
  list: "List",
  audience: "Audience",
  without: "Left out",
  withoutNone: "No one is left out",
  names: "See names",
  landLines: (count) => (count === 1 ? "1 land line gets it." : `${formatNumber(count)} land lines get it.`),
  leaveOut: "Leave out",
  unchecked: (count) =>
    count === 1
      ? "1 person has not been looked up on WhatsApp."
      : `${formatNumber(count)} people have not been looked up on WhatsApp.`,
  check: "Check numbers",
  checkTime: (minutes) => `, about ${duration(minutes)}.`,
  checkFailed: "The numbers were not checked",
  checking: (count, minutes) =>
    `Checking: ${count === 1 ? "1 number is left" : `${formatNumber(count)} numbers are left`}, about ${duration(minutes)}. It goes on with this page closed.`,
  checkTooNew: (count) =>
    `${counted(count, "person", "people")} not looked up on WhatsApp. A number that is here for less than a day checks none before it sends.`,
  checkTooMany: (count, most) =>
    `${formatNumber(count)} people not looked up on WhatsApp: too many to check before (up to ${formatNumber(most)}).`,
  risk: "What WhatsApp may do",
  riskUnplanned:
    "This number has no plan: Recado does not limit its new conversations. If WhatsApp limits new conversations, they wait, and who has talked with it goes on receiving.",
  riskNone: "All have talked with this number: a limit of new conversations does not stop this campaign.",
  riskCold: (count) =>
    count === 1
      ? "WhatsApp may limit new conversations: then the new person waits, and who has talked with the number goes on receiving."
      : `WhatsApp may limit new conversations: then the ${formatNumber(count)} new people wait, and who has talked with the number goes on receiving.`,
  riskCanary: (people, percent, minutes) =>
    `The first ${people} go before: if fewer than ${percent}% arrive within ${minutes} minutes, the campaign stops and tells you.`,
  undo: (seconds) =>
    `Once created, there are ${counted(seconds, "second", "seconds")} to undo it. Nothing leaves before that.`,
  typeTotal: (total) => `To confirm, type the total: ${total}`,
  wrongTotal: (total) => `Type ${total}, the number of people who get it.`,
  number: "Number",
  noNumber: "No default connection",
  waits: "It is not sending now: the campaign waits.",
  time: "Sending",
  perPerson: "Per person",
  messagesEach: (count) => `${count} messages in a row`,
  messages: (count) => (count > 1 ? `The first ${count} messages` : "The first message"),
  to: (name: string) => `To ${name}`,
  back: "Back",
  schedule: "Schedule",
  literal: "These pieces go out as they are written:",
  literalMore: (count: number) => `and ${counted(count, "other", "others")}`,
  sendLiteral: "Send it all the same",
  confirmLiteral: "Tick this to send it so, or go back and replace the pieces.",
  found: "Recado does not know these pieces: they go out as they are written.",
  replace: (by: string) => `Replace with ${by}`,
  replaceSaid: (found: string, by: string) => `Replace with ${by}: ${found}`,
  remove: "Delete",
  removeSaid: (found: string) => `Delete: ${found}`,
  byHand: "Write the value in its place, or delete it.",
};
