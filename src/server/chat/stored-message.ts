import type { MessageKind } from "../../domain/chat.ts";

/** A message as it stands in `chat_message`, with the chat that it belongs to. */
export type StoredMessage = {
  id: number;
  accountId: string;
  connectionId: number;
  chatId: number;
  chatKind: "person" | "group";
  /** Canonical digits of the other side, where WhatsApp tells them. */
  phone: string | null;
  fromMe: boolean;
  kind: MessageKind;
  text: string;
  at: Date;
};
