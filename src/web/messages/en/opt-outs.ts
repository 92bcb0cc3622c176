import { formatNumber } from "../format.ts";
import type { optOutsText as portuguese } from "../opt-outs.ts";
import type { Texts } from "../texts.ts";

export const optOutsText: Texts<typeof portuguese> = {
  open: (count) => (count === 0 ? "Unsubscribed" : `Unsubscribed (${formatNumber(count)})`),
  title: "People who do not want campaigns",
  context:
    "Anyone who answers just SAIR, PARAR, CANCELAR or STOP, or asks for it beyond doubt, is added here and gets a confirmation. Anyone who seems to ask for it in other words waits for your decision. Campaigns skip them all.",
  badge: "No campaigns",
  search: "Search unsubscribed",
  searchPlaceholder: "Search by name or phone...",
  list: "People who do not want campaigns",
  failed: "Error fetching unsubscribed people",
  replied: (text, connection) =>
    connection === null ? `Answered “${text}”` : `Answered “${text}” to ${connection}`,
  manual: "Added by hand",
  noName: "No name",
  allow: "Allow again",
  allowLabel: (who) => `Allow again: ${who}`,
  allowed: (who) => `${who} can receive campaigns again`,
  restored: (who) => `${who} still gets no campaigns`,
  allowFailed: "It could not be changed.",
  leftAgain: (who) =>
    `${who} has left again since you opened the list. See below when and how, and decide again.`,
  none: "No one has asked to leave.",
  nothing: (term) => `Nothing found for “${term}”.`,
  phone: "Send no campaigns to",
  phoneHint: "With area code: 31 90234-1187.",
  phoneRequired: "Enter the phone.",
  add: "Add",
  adding: "Adding...",
  addFailed: "It could not be added.",
  added: (phone) => `${phone} no longer receives campaigns`,
};
