import { sql } from "kysely";
import { DELIVERY } from "../../domain/delivery.ts";
import { decodeMessageId } from "../../domain/message-id.ts";
import type { Changes } from "../changes.ts";
import type { Db } from "../db/client.ts";
import type { Receipt } from "../transports/transport.ts";

const STATE = { accepted: DELIVERY.sent, delivered: DELIVERY.delivered, read: DELIVERY.read } as const;

type Deps = { db: Db; changes: Pick<Changes, "mark">; messageKey: Uint8Array };

/**
 * Receipts of what was written from our numbers elsewhere: on the phone, by another program. In any order and safe to repeat, only
 * upwards. Ids of others' messages, and of what sending keeps, move nothing here (W16).
 */
export function phoneReceipts({ db, changes, messageKey }: Deps) {
  return async (connectionId: number, receipts: readonly Receipt[]): Promise<void> => {
    const states = new Map<string, number>();
    for (const { messageId, status } of receipts) {
      // A campaign's receipts come by the thousand.
      if (status === "error" || decodeMessageId(messageKey, messageId) !== null) continue;
      states.set(messageId, Math.max(STATE[status], states.get(messageId) ?? 0));
    }
    if (states.size === 0) return;
    const { rows } = await sql<{ chat: number; account: string }>`update chat_message m set status = t.status
      from unnest(${[...states.keys()]}::text[], ${[...states.values()]}::smallint[]) as t(id, status)
      where m.connection_id = ${connectionId} and m.provider_id = t.id and m.from_me and coalesce(m.status, 0) < t.status
      returning m.chat_id as chat, m.account_id as account`.execute(db);
    for (const { chat, account } of rows) changes.mark(account, "chats", chat);
  };
}
