import { type EmailWords, listed } from "./email-words.ts";

const goesOn = (hindered: boolean) =>
  hindered ? "as soon as that is possible" : "when the connection is back";

export const ENGLISH: EmailWords = {
  greeting: (name) => (name === "" ? "Hello," : `Hello ${name},`),
  nameless: "no name",
  open: "Open it in Recado:",
  why: "You get this notice because it is switched on in Settings, Notifications. You can switch it off there.",
  test: (at) => ({
    subject: "Test message from Recado",
    lines: [`This is the test message asked for on ${at}.`, "If you got it, notices by e-mail work."],
  }),
  passwordChanged: ({ at, ended, living }) => ({
    subject: "The password of your account was changed",
    lines: [
      `The password of your Recado account was changed on ${at}. All other sessions were ended.`,
      ...listed("These no longer work:", ended),
      ...listed("These are still connected to the account. Check that they are yours:", living),
      "If it was not you, talk to the administrator of the server, who can set another password.",
    ],
  }),
  resetAsked: ({ at, until }) => ({
    subject: "A new password for your account",
    lines: [
      `On ${at}, someone asked for a new password for your account in Recado. If it was you, set it by the link below. It works until ${until}, and only once.`,
      "If it was not you, do nothing: your password stays the same.",
    ],
  }),
  confirmAsked: ({ until }) => ({
    subject: "Confirm your e-mail",
    lines: [
      `A Recado account uses this e-mail. If it is yours, confirm the address by the link below. It works until ${until}, and only once.`,
      "If it is not yours, do nothing: without the confirmation no notice is sent to this address.",
    ],
  }),
  changeAsked: ({ at, until }) => ({
    subject: "Confirm your new e-mail",
    lines: [
      `On ${at}, someone asked that this address becomes the e-mail of your Recado account. If it was you, confirm it by the link below. It works until ${until}, and only once.`,
      "If it was not you, do nothing: without the confirmation nothing changes.",
    ],
  }),
  confirmLink: "Confirm the e-mail:",
  wrongPasswords: (at) => ({
    subject: "Many wrong passwords for your account",
    lines: [
      `Until ${at}, there were many attempts to sign in to your Recado account with wrong passwords, in browsers it does not know. None of them got in.`,
      "Each further attempt waits longer, up to a minute. The browser in which you have signed in before does not wait, and “I forgot my password” opens a way in any other.",
    ],
  }),
  access: {
    key: (name, prefix) => `API key “${name}” (${prefix}…)`,
    relay: (name, host) => `address that gets the messages of instance “${name}” (${host})`,
    gateway: (name, host) => `Evolution server “${name}” (${host})`,
    mistral: (hint) => `Mistral key that ends in ${hint}`,
    more: (n) => `and ${n} more`,
  },
  resetLink: "Set the new password:",
  signUpAsked: (at) => ({
    subject: "You already have a Recado account",
    lines: [
      `On ${at}, someone tried to create a Recado account with this e-mail, which already has one. Nothing changed in it.`,
      "If it was you, sign in with your password, or ask for a new one under “I forgot my password”. If it was not, do nothing.",
    ],
  }),
  emailChanged: (at) => ({
    subject: "Your account's e-mail was changed",
    lines: [
      `This address was the e-mail of your Recado account. On ${at}, another one took its place.`,
      "If it was not you, talk to the person who runs the server.",
    ],
  }),
  newBrowser: ({ at, browser, address }) => ({
    subject: "New sign-in to your account",
    lines: [
      `Someone signed in to your Recado account on ${at}, with a browser that the account had not used${browser && ` (${browser})`}, from the address ${address}.`,
      "If it was you, all is well. If it was not, change your password: all other sessions end with that.",
    ],
  }),
  keyCreated: ({ name, at }) => ({
    subject: "An API key was created",
    lines: [
      `The API key “${name}” was created in your account on ${at}.`,
      "If it was not you, revoke the key in Settings, API Keys, and change your password.",
    ],
  }),
  campaignEnded: ({ name, at, counts, end }) => ({
    subject: {
      completed: `Campaign “${name}” completed`,
      partially_completed: `Campaign “${name}” completed with failures`,
      failed: `Campaign “${name}” failed`,
    }[end],
    lines: [
      `The campaign “${name}” ended on ${at}.`,
      [
        `Total: ${counts.total}`,
        `Sent: ${counts.sent}`,
        `Errors: ${counts.error}`,
        `Unconfirmed: ${counts.uncertain}`,
        ...(counts.accepted === "0" ? [] : [`Accepted by the server: ${counts.accepted}`]),
        `Skipped: ${counts.skipped}`,
      ].join("\n"),
      {
        completed: "These are the figures of this moment. Deliveries and reads keep coming in.",
        partially_completed:
          "These are the figures of this moment: what is unconfirmed may still settle by itself. The reasons are in the campaign's details.",
        failed: "No message was sent. The reasons are in the campaign's details.",
      }[end],
    ],
  }),
  campaignPaused: ({ name, at, cause, left }) => ({
    subject: `Campaign “${name}” stopped`,
    lines: [
      `The campaign “${name}” stopped on ${at}. ${cause}`,
      ...(left === null ? [] : [`Remaining: ${left}.`]),
    ],
  }),
  connectionDown: ({ name, since, cause, campaigns, hindered }) => ({
    subject: `The connection ${name} needs attention`,
    lines: [
      `The connection ${name} ${cause} (since ${since}).`,
      ...(campaigns === 0
        ? []
        : [
            campaigns === 1
              ? `One campaign waits for it and goes on by itself ${goesOn(hindered)}.`
              : `${campaigns} campaigns wait for it and go on by themselves ${goesOn(hindered)}.`,
          ]),
    ],
  }),
  stopped: {
    breaker_refused:
      "WhatsApp refused too many messages, and sending stopped before the number is blocked. See in the campaign who they are and say why to continue.",
    breaker_absent:
      "Too many numbers are not on WhatsApp, and sending stopped before the number is blocked. See in the campaign who they are and say why to continue.",
    breaker_leaving:
      "Too many people asked to leave, and sending stopped before the number is reported. See in the campaign who they are and say why to continue.",
    breaker_undelivered:
      "Too many messages were not delivered, and sending stopped before the number is blocked. See in the campaign who they are and say why to continue.",
    number_banned:
      "WhatsApp blocked the number, and all its sending has stopped. See the notice on the phone before you continue.",
    number_logged_out:
      "The number was disconnected by WhatsApp or on the phone, and all its sending has stopped. Reconnect it before you continue.",
    number_locked_again:
      "WhatsApp blocked new conversations of the number for the second time in 30 days, and all its sending has stopped. Review audience, text and pace before you continue.",
    unconfirmed:
      "The Evolution server accepted messages, and WhatsApp does not confirm that it has them. Check the number on the phone before you continue; a confirmation that comes later still counts.",
    limit:
      "The account has reached its message limit of this month. When the month has turned or the administrator has raised the limit, open the campaign and continue it.",
    no_default_connection: "There is no default connection. Make one the default and continue the campaign.",
    audience_gone: "A list, segment or campaign of the audience was deleted.",
    list_empty: "The contact list became empty or was deleted.",
    deliveries_full:
      "The account has reached its limit of deliveries kept. No one got anything. Delete old campaigns or talk to the person who runs the installation, and continue the campaign.",
    start_failed: "Sending could not begin because of a fault of the server. No one got anything.",
    missed: "Its hour passed while the server was off. Nothing was sent: confirm that it is to be sent.",
    restored: "The data were restored from a copy. Check before you continue.",
    unknown: "Open the campaign to see why.",
  },
  down: {
    logged_out: "was logged out on the phone",
    ended_there: "was logged out on the instance's server",
    banned: "had its number blocked by WhatsApp",
    temp_banned: "had its number suspended by WhatsApp for a time",
    replaced: "is now used elsewhere",
    key_lost: "lost its session with the server's secret key",
    client_outdated: "is no longer accepted by WhatsApp with this version of Recado",
    timelocked: "had new conversations blocked by WhatsApp",
    new_chats_refused: "has new conversations refused by WhatsApp",
    replies_refused: "has its messages refused by WhatsApp, even in conversations that exist",
    devices_refused: "has its messages refused by WhatsApp",
    backlog_unread: "does not get from its server what may have been written while it was away",
    catching_up: "is still reading the latest messages that arrived",
    rate_limited: "was asked to pause",
    not_sending: "cannot send any message",
    upload_failed: "cannot bring files to WhatsApp",
    untrusted_server: "cannot reach WhatsApp securely on the server's network",
    unreachable: "is without its server, which does not answer",
    server_errors: "is without its server, which answers with errors",
    wrong_key: "had its API key refused by its server",
    license_required: "waits for the licence of its server to be activated",
    offline_loop: "keeps going down and coming back",
    gone: "no longer exists on its server",
    withdrawn: "is without a server: the administrator has withdrawn it",
    network: "went down",
    unknown: "is out of order",
  },
  news: {
    marketing: "You get this message because you asked for offers in Settings, Notifications.",
    product: "You get this message because you asked for product news in Settings, Notifications.",
  },
  unsubscribe: "To get no more of them:",
};
