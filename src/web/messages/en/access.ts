import type { accessText as portuguese } from "../access.ts";
import { counted } from "../format.ts";
import type { Texts } from "../texts.ts";

export const accessText: Texts<typeof portuguese> = {
  proof: {
    label: "Password of your account",
    hint: "Asked for because this gives access to what the account has. It holds for ten minutes in this browser.",
  },
  ended: "These no longer work",
  living: "Still connected to the account",
  livingText: "Check that they are yours. What you do not recognise can be removed on Recado's screens.",
  key: (name) => `API key “${name}”`,
  relay: (name) => `Address that got the messages of instance “${name}”`,
  livingRelay: (name) => `Address that gets the messages of instance “${name}”`,
  gateway: (name) => `Evolution server “${name}”`,
  mistral: "Mistral key",
  mistralHint: (hint) => `ends in ${hint}`,
  changed: {
    title: "Password set",
    lead: "The new password holds. See what no longer works, and what is still connected to your account.",
    sessions: (count) =>
      count === 0 ? "No browser was signed in." : `${counted(count, "browser", "browsers")} signed out.`,
    signIn: "Log in",
  },
  confirmation: {
    waits: "Your e-mail was not confirmed yet.",
    waitsText: (email) => `No notice goes to ${email} until you confirm it by the link that arrives there.`,
    change: "Your new e-mail waits for its confirmation.",
    changeText: (email) =>
      `Until you confirm ${email} by the link that arrives there, you go on logging in with the former address.`,
    operator: (email) =>
      `This server does not know its own address and sends no links. The person who runs it confirms ${email} with this command:`,
    again: "Send again",
    sending: "Sending...",
    sent: "Link sent. Check the spam folder, too.",
    failed: "The link was not sent.",
    giveUp: "Give up the change",
    givingUp: "Giving up...",
    gaveUp: "The change of e-mail was undone.",
    giveUpFailed: "The change was not undone.",
  },
  confirm: {
    title: "Confirm e-mail",
    lead: (email) => `Is the address ${email} yours, and does it get the notices of your Recado account?`,
    changeLead: (email) => `Shall the address ${email} become the e-mail of your Recado account?`,
    loading: "Checking the link.",
    notYours:
      "If you did not create this account, close this page: without the confirmation no notice is sent.",
    notAsked:
      "If you did not ask for this change, close this page: without the confirmation nothing changes.",
    button: "Confirm",
    busy: "Confirming...",
    failed: "The e-mail was not confirmed",
    loadFailed: "The link could not be checked",
    done: "E-mail confirmed",
    doneText: (email) => `The notices of your account go to ${email}.`,
    changeDoneText: (email) => `From now on you log in with ${email}, and notices go there.`,
    over: "This link is no longer valid",
    overText:
      "Each link works for three days and only once. If the e-mail still waits, ask for another in Settings.",
    open: "Open Recado",
  },
};
