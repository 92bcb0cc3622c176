import type { Chat } from "../../../contract/chats.ts";
import { chatText } from "../../messages/chat.ts";

export function preview({ text, kind, fromMe, source }: Chat["last"]): string {
  if (text === "" && kind === "text") return chatText.messages.empty;
  const words = text.replace(/\s+/g, " ").trim();
  const named = kind !== "text" && (kind !== "other" || words === "");
  const said = named ? [chatText.kinds[kind], words].filter(Boolean).join(": ") : words;
  if (!fromMe) return said;
  const program = chatText.sources[source as keyof typeof chatText.sources];
  return program ? `${program}: ${said}` : chatText.list.you(said);
}
