import { counted } from "../format.ts";
import type { libraryText as portuguese } from "../library.ts";
import type { Texts } from "../texts.ts";

export const libraryText: Texts<typeof portuguese> = {
  title: "Messages",
  fact: (count) => counted(count, "template", "templates"),
  factEmpty: "No template yet",
  add: "New template",
  search: "Search templates",
  searchPlaceholder: "Name, text or file",
  failed: "The templates could not be loaded",
  more: "Show more templates",
  empty: {
    title: "Keep the messages that you use again and again",
    text: "A template has a name, a text with variables and, if you like, a file. Use it in campaigns, in bots and, in the chat, by typing / in the message field.",
  },
  nothing: (words) => `No template with “${words}”`,
  nothingText: "Try another word of its name, text or file.",
  changed: (when) => `Changed ${when}`,
  edit: "Edit",
  editLabel: (name) => `Edit the template ${name}`,
  remove: "Delete",
  removeLabel: (name) => `Delete the template ${name}`,
  removeQuestion: (name) => `Delete the template “${name}”?`,
  removeText:
    "Campaigns and conversations that used the template stay as they are. A bot that sends it sends it no more.",
  removing: "Deleting...",
  removeFailed: "The template could not be deleted.",
  removed: (name) => `Template “${name}” deleted`,
  write: {
    insert: (mark) => `Insert ${mark}`,
    insertField: "Insert field",
    surname: "Last name",
    characters: (count, most) => `${count} of ${most} characters`,
  },
  pick: {
    open: "Use from the library",
    title: "Use from the library",
    context: "The text goes where the cursor is; the template's file comes along.",
    none: "No template yet. Create one in Messages or with “Save as template”.",
    save: "Save as template",
  },
};
