import type { MessageKind } from "../../domain/chat.ts";

export type StoredMessage = {
  id: number;
  accountId: string;
  connectionId: number;
  chatId: number;
  chatKind: "person" | "group";
  phone: string | null;
  fromMe: boolean;
  kind: MessageKind;
  text: string;
  at: Date;
};
