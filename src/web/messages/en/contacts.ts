import type { contactsText as portuguese } from "../contacts.ts";
import { counted, formatNumber } from "../format.ts";
import type { Texts } from "../texts.ts";

const contacts = (count: number) => counted(count, "contact", "contacts");

export const contactsText: Texts<typeof portuguese> = {
  title: "Contacts",
  fact: (lists, people) =>
    `${counted(lists, "list", "lists")}, ${contacts(people)}${lists > 1 ? " (who is in two lists counts in each)" : ""}`,
  factEmpty: "No lists yet",
  import: "Import",
  export: "Export",
  newContact: "New Contact",
  search: "Search contacts",
  searchPlaceholder: "Search contacts...",
  failed: "Error fetching contacts",
  more: "Show more lists",
  noName: "No name",
  count: contacts,
  foundIn: (found, lists) => `${contacts(found)} in ${counted(lists, "list", "lists")}`,
  foundLists: (lists) => counted(lists, "list found", "lists found"),
  foundMore: (lists) => `More than ${counted(lists, "list found", "lists found")}`,
  found: (found, all) => `${formatNumber(found)} of ${contacts(all)}`,
  oneList: "Only this list is shown.",
  listGone: "This list no longer exists.",
  allLists: "Show all lists",
  rest: (count) => `+${contacts(count)}`,
  deleteList: "Delete List",
  seePeople: "See people",
  sendCampaign: "Send campaign",
  exportList: "Export",
  person: {
    inList: (list) => `In the list “${list}”.`,
    copy: "Copy number",
    leaveOut: "Send no campaigns",
    leaveOutHint: "Gets no more campaigns, not those under way either. Stays in the list.",
    allowHint: "Campaigns skip this person.",
    failed: "Could not be changed.",
  },
  empty: {
    title: "No contact lists",
    text: "Import the spreadsheet that you already have, or add one contact at a time.",
    action: "Import contacts",
  },
  nothing: {
    title: "No contacts found",
    text: (term) => `Nothing found for “${term}”. Check the name or use only the last digits of the phone.`,
  },
  remove: {
    question: "Are you sure you want to delete this contact list?",
    lost: (name, count) =>
      `${count === 1 ? "The contact leaves" : `The ${contacts(count)} leave`} the list “${name}” and ${count === 1 ? "stays" : "stay"} in your account; campaigns already sent stay in the history.`,
    stops: (count) =>
      count === 1
        ? "1 scheduled campaign uses this list and does not start without it."
        : `${formatNumber(count)} scheduled campaigns use this list and do not start without it.`,
    stopsWaiting: (count) =>
      count === 1
        ? "1 campaign that has not started uses this list and does not start without it."
        : `${formatNumber(count)} campaigns that have not started use this list and do not start without it.`,
    goesOn: (count) =>
      count === 1
        ? "1 campaign in progress goes on sending to these contacts until it is paused or cancelled."
        : `${formatNumber(count)} campaigns in progress go on sending to these contacts until they are paused or cancelled.`,
    verb: "Delete",
    busy: "Deleting...",
    failed: "Error deleting the list.",
    done: (name, count) =>
      count === 0
        ? `List “${name}” deleted`
        : `List “${name}” deleted; ${count === 1 ? "the contact stays" : `the ${contacts(count)} stay`} in “All people”`,
  },
  exporting: {
    title: "Export contacts",
    context: "A CSV file that Excel opens, with the columns Name and Phone.",
    list: "Contact list",
    pick: "Choose a list",
    required: "Choose a list.",
    button: "Export",
    failed: "Error fetching lists.",
    none: "There are no lists to export yet.",
  },
  adding: {
    title: "New Contact",
    name: "Name",
    nameRequired: "Enter the name.",
    phone: "Phone",
    phoneHint: "With area code: 31 90234-1187. From another country, with + and its code.",
    phoneRequired: "Enter the phone.",
    list: "List",
    own: "A new list for this contact alone",
    ownHint: (name) => `It goes into the list “Contato manual - ${name}”.`,
    listGone: "The chosen list was deleted. Choose another.",
    button: "Add",
    busy: "Adding...",
    failed: "Error adding the contact.",
    done: (name, list) => `${name} added to the list “${list}”`,
    ninth: "We added the ninth digit to the phone.",
  },
};
