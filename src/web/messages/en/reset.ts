import type { resetText as portuguese } from "../reset.ts";
import type { Texts } from "../texts.ts";

export const resetText: Texts<typeof portuguese> = {
  ask: {
    title: "I forgot my password",
    lead: "Enter your account's e-mail. We send you a link to set another password.",
    button: "Send link",
    busy: "Sending...",
    failed: "The link was not sent",
    loadFailed: "This page could not be loaded",
    sent: "Check your e-mail",
    sentText: "If there is an account with this e-mail, we have sent a link.",
    sentTo: (email) => `E-mail entered: ${email}`,
    sentHint:
      "The link works for one hour, and only once. If it does not arrive in a few minutes, check the spam folder.",
    other: "Enter another e-mail",
    back: "Back to log in",
    noMail: "Ask for a new password",
    noMailText:
      "This server sends no e-mails. The person who runs it sets another password for you with this command:",
    noMailHint: "If you run it: once a mail server is configured, the link is sent from here.",
  },
  set: {
    title: "Set a new password",
    lead: "Choose the password you will log in with. The open sessions of this account end.",
    password: "New password",
    confirm: "Confirm new password",
    button: "Set password",
    busy: "Saving...",
    failed: "The password was not set",
    loadFailed: "The link could not be checked",
    over: "This link is no longer valid",
    overText:
      "Each link works for one hour and only once. If the password was changed already, log in with the new one.",
    again: "Ask for another link",
    back: "Back to log in",
  },
};
