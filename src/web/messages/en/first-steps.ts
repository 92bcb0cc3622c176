import type { firstStepsText as portuguese } from "../first-steps.ts";
import type { Texts } from "../texts.ts";

export const firstStepsText: Texts<typeof portuguese> = {
  title: "First steps",
  done: (done, all) => `${done} of ${all} done`,
  stepDone: "Done:",
  connect: "Connect a number",
  connectText: "Scan the QR code with the company's phone.",
  contacts: "Import your contacts",
  contactsText: "A spreadsheet saved as CSV, with name and phone.",
  test: "Send yourself a test",
  testText: "See on your own phone how the message arrives.",
  campaign: "Create your first campaign",
  campaignText: "Choose the list, check the message and send.",
  putAway: "Dismiss the first steps",
  putAwayDone: "First steps dismissed. You can bring them back in Settings.",
  undo: "Undo",
  failed: "It could not be saved. Try again.",
  again: "First steps",
  againText: "The to-do list on the dashboard of a new account.",
  shown: "It is on the dashboard.",
  hidden: "You dismissed the list.",
  allDone: "You have done all of them.",
  show: "Show on the dashboard",
  showDone: "The first steps are back on the dashboard.",
};
