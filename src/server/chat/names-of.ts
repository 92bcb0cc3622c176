import type { OutboxTo } from "../sending/sending.ts";
import type { ChatRow } from "./repo.ts";

export function recipient({ phone, jid, lid }: Pick<ChatRow, "phone" | "jid" | "lid">): OutboxTo {
  return phone === null ? { jid: jid ?? lid ?? "" } : { phone };
}

export function namesOf(chat: ChatRow) {
  const { id, phone, jid, lid } = chat;
  return { id, connectionId: chat.connection_id, phone, jid, lid };
}
