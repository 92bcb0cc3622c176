import type { causesText as portuguese } from "../campaign-causes.ts";
import { counted } from "../format.ts";
import type { Texts } from "../texts.ts";

type Causes = (typeof portuguese)["down"];

const share = (breaker?: { judged: number; count: number; limit: number } | null) =>
  !breaker ? "" : ` (${breaker.count} of ${breaker.judged}; the limit is ${breaker.limit}%)`;

const after = (text: string, since: string) => `${text}${since && ` ${since}`}.`;

const goesOn = "Sending continues by itself when it is back.";
const reconnect = "Reconnect it under Connections, and sending continues by itself.";
const blocked = (name: string, until: string | null) =>
  `WhatsApp has blocked new conversations of the connection ${name}${until ? ` until ${until}` : ""}.`;

const down: Causes = {
  network: ({ name, since }) => ({ fact: after(`The connection ${name} went down`, since), next: goesOn }),
  logged_out: ({ name, since }) => ({
    fact: after(`The connection ${name} was disconnected on the phone`, since),
    next: "Connect the number again, and sending continues by itself.",
  }),
  ended_there: ({ name, since }) => ({
    fact: after(`The connection ${name} was disconnected on the instance's server`, since),
    next: "Connect the number again, and sending continues by itself.",
  }),
  ending: ({ name }) => ({ fact: `The connection ${name} is being disconnected.`, next: reconnect }),
  disconnected_by_user: ({ name, since }) => ({
    fact: after(`The connection ${name} was disconnected`, since),
    next: reconnect,
  }),
  banned: ({ name }) => ({
    fact: `WhatsApp has blocked the number of the connection ${name}.`,
    next: "See the notice on the phone. Sending continues only if the block is lifted.",
  }),
  temp_banned: ({ name, until }) => ({
    fact: `WhatsApp has suspended the number of the connection ${name}${until ? ` until ${until}` : " for a time"}.`,
    next: "Reconnect it in Connections after that, and sending continues by itself.",
  }),
  replaced: ({ name, since }) => ({
    fact: after(`The connection ${name} came into use elsewhere`, since),
    next: reconnect,
  }),
  key_lost: ({ name }) => ({
    fact: `The server lost the key that opened the session of the connection ${name}.`,
    next: "Connect the number again, and sending continues by itself.",
  }),
  timelocked: ({ name, until }) => ({
    fact: blocked(name, until),
    next: "People who talk with this number already still get it; the others wait, and sending to them continues by itself after that.",
  }),
  new_chats_refused: ({ name, until }) => ({
    fact: `WhatsApp refuses new conversations of the connection ${name} and does not say until when.`,
    next: `People who talk with this number already still get it; the others wait${until ? ` until ${until}, when we try again` : ", and we keep trying"}. See on the phone whether WhatsApp shows a notice.`,
  }),
  replies_refused: ({ name, until }) => ({
    fact: `WhatsApp refuses the messages of the connection ${name}, even in conversations that exist.`,
    next: `Nothing leaves${until ? ` until ${until}, when we try again` : ", and we keep trying"}. See on the phone whether WhatsApp shows a notice.`,
  }),
  devices_refused: ({ name }) => ({
    fact: `WhatsApp refuses the messages of the connection ${name}.`,
    next: "No one counts as failed for that, and we keep trying. If it goes on, see under Connections what to do.",
  }),
  upload_failed: ({ name }) => ({
    fact: `The file is not reaching WhatsApp over the connection ${name}.`,
    next: "No one counts as failed for that, and we keep trying. If it goes on, see under Connections what to do.",
  }),
  backlog_unread: ({ name }) => ({
    fact: `The server of the connection ${name} does not hand out what may have been written while it was away.`,
    next: "Sending waits for it, ten minutes at most, so as not to write to people who asked to leave.",
  }),
  catching_up: () => ({
    fact: "The latest messages that reached the account are still being read.",
    next: "Sending continues by itself right after that, without those who asked to leave.",
  }),
  rate_limited: ({ name }) => ({
    fact: `The connection ${name} was asked to pause.`,
    next: "Sending continues by itself after that.",
  }),
  not_sending: ({ name }) => ({
    fact: `No message is leaving over the connection ${name}.`,
    next: "No one counts as failed for that, and we keep trying.",
  }),
  qr_expired: ({ name }) => ({
    fact: `The connection ${name} is waiting for its QR Code to be scanned.`,
    next: "Scan the code under Connections, and sending begins.",
  }),
  pairing_refused: ({ name }) => ({
    fact: `WhatsApp refused to pair the connection ${name}.`,
    next: "Try again under Connections, and sending begins.",
  }),
  client_outdated: ({ name }) => ({
    fact: `WhatsApp no longer accepts this version on the connection ${name}.`,
    next: "Update Recado, and sending continues by itself.",
  }),
  untrusted_server: ({ name }) => ({
    fact: `The connection ${name} cannot reach WhatsApp securely on this network.`,
    next: "Check the server's proxy and antivirus. Sending continues by itself when it is back.",
  }),
  unreachable: ({ name, since }) => ({
    fact: after(`The server of the connection ${name} stopped answering`, since),
    next: goesOn,
  }),
  server_errors: ({ name, since }) => ({
    fact: after(`The server of the connection ${name} answers with errors`, since),
    next: goesOn,
  }),
  wrong_key: ({ name }) => ({
    fact: `The server of the connection ${name} refused the API key.`,
    next: "Check the key under Evolution; if the administrator provides the server, tell them. After that, sending continues by itself.",
  }),
  license_required: ({ name }) => ({
    fact: `The licence of the server of the connection ${name} has not been activated yet.`,
    next: "Sending continues by itself once it is.",
  }),
  offline_loop: ({ name }) => ({
    fact: `The connection ${name} keeps going down and coming back.`,
    next: "See under Connections what to check. Sending continues by itself once it stays up.",
  }),
  gone: ({ name }) => ({
    fact: `The instance of the connection ${name} no longer exists on the server.`,
    next: "Create it there again under the same name, or cancel this sending and, with Reuse, choose another connection.",
  }),
  withdrawn: ({ name }) => ({
    fact: `The administrator has withdrawn the server of the connection ${name}.`,
    next: "Cancel this sending and, with Reuse, choose another connection.",
  }),
  restored: ({ name }) => ({
    fact: `The connection ${name} came from a backup and has not been released yet.`,
    next: "Sending continues by itself when the administrator releases the installation.",
  }),
  unknown: ({ name, since }) => ({ fact: after(`The connection ${name} is down`, since), next: goesOn }),
};

const stopped: Causes = {
  user: ({ since }) => ({ fact: after("Sending paused", since), next: "Continue whenever you like." }),
  no_default_connection: () => ({
    fact: "No default connection. Choose a connection.",
    next: "Make a connection the default under Connections and continue sending.",
  }),
  connection_removed: ({ name }) => ({
    fact: `The connection ${name} was deleted.`,
    next: "Cancel this sending and, with Reuse, choose another connection.",
  }),
  list_empty: () => ({
    fact: "The contact list became empty or was deleted.",
    next: "Cancel this sending and, with Reuse, choose another list.",
  }),
  audience_gone: () => ({
    fact: "A list, segment or campaign of the audience was deleted. No one received anything.",
    next: "Cancel this sending and, with Reuse, review the audience.",
  }),
  start_failed: () => ({
    fact: "Sending could not begin because of a server failure. No one received anything.",
    next: "Continue to try again; the server's log says why.",
  }),
  deliveries_full: () => ({
    fact: "The account's limit of deliveries kept has been reached. No one received anything.",
    next: "Delete old campaigns or talk to the person who runs this installation, and continue the campaign.",
  }),
  banned: ({ name }) => ({
    fact: `WhatsApp has blocked the number of the connection ${name}.`,
    next: "Sending stopped so as not to make the block worse. Continue when the number is back.",
  }),
  timelocked: ({ name, until }) => ({ fact: blocked(name, until), next: "Continue sending after that." }),
  unconfirmed: ({ name, accepted }) => ({
    fact: `The server accepted ${counted(accepted, "message", "messages")} that WhatsApp does not confirm yet.`,
    next: `Check on the phone of the connection ${name} whether they left. A confirmation that comes later still counts.`,
  }),
  breaker_refused: ({ breaker }) => ({
    fact: `WhatsApp refuses messages of this campaign${share(breaker)}.`,
    next: "Sending stopped before the number is blocked. Check the text, the image and the list before you continue.",
  }),
  breaker_absent: ({ breaker }) => ({
    fact: `Many numbers are not on WhatsApp${share(breaker)}.`,
    next: "Lists like this get a number blocked. Check where the contacts came from before you continue.",
  }),
  breaker_leaving: ({ breaker }) => ({
    fact: `Many people ask to leave${share(breaker)}.`,
    next: "Those who leave may also block and report the number. Review the audience and the text before you continue.",
  }),
  breaker_undelivered: ({ breaker }) => ({
    fact: `Many messages are not delivered${share(breaker)}.`,
    next: "Those who blocked the number get nothing, nor those who no longer use theirs. Check the list before you continue.",
  }),
  number_banned: ({ name }) => ({
    fact: `WhatsApp has blocked the number of the connection ${name}.`,
    next: "All sending of this number has stopped. See the notice on the phone and reconnect the number before you continue.",
  }),
  number_logged_out: ({ name }) => ({
    fact: `The connection ${name} was ended by WhatsApp or on the phone.`,
    next: "All sending of this number has stopped. See on the phone whether there is a notice and reconnect the number before you continue.",
  }),
  number_locked_again: ({ name }) => ({
    fact: `WhatsApp has blocked new conversations of the connection ${name} for the second time in 30 days.`,
    next: "All sending of this number has stopped. Review the audience, the text and the pace before you continue.",
  }),
  limit: () => ({
    fact: "The account has reached its limit of messages for this month.",
    next: "When the month ends or the administrator raises the limit, continue sending.",
  }),
  suspended: () => ({
    fact: "The account was suspended by the administrator of this installation.",
    next: "Nothing went out in that time. Continue whenever you like.",
  }),
  restored: () => ({
    fact: "The data was restored from a copy.",
    next: "Messages sent after it may be missing here. Check before continuing.",
  }),
  unknown: ({ since }) => ({ fact: after("Sending is paused", since), next: "Continue whenever you like." }),
};

export const causesText: Texts<typeof portuguese> = {
  down,
  stopped,
  missed: (when) => ({
    fact: "Missed: confirm.",
    next: `The set time, ${when}, passed while the server was off. Nothing was sent.`,
  }),
  gone: {
    connection: (name) => `The connection ${name} was deleted.`,
    list: (name) => `The list ${name} was deleted.`,
    next: "Edit the campaign and choose another, or it will not start at its set time.",
    missed: "Cancel it and choose another with Reuse.",
  },
  seePeople: "See these people",
  left: (count) => `${count} messages left.`,
  leftOne: "1 message left.",
  anyConnection: "default",
};
