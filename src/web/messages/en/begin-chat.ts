import type { beginChatText as portuguese } from "../begin-chat.ts";
import type { Texts } from "../texts.ts";

export const beginChatText: Texts<typeof portuguese> = {
  title: "New conversation",
  context: "Nothing is sent before you write.",
  connection: "Connection",
  phone: "Phone or name",
  phoneHint: "With area code: 31 90234-1187. Of another country, with + and its code.",
  people: "People of your lists",
  button: "Open conversation",
  busy: "Opening...",
  failed: "The conversation could not be opened.",
  link: (who, phone) => `Talk to ${who}: ${phone}`,
};
