import { sql } from "kysely";
import { DELIVERY, PROVED_BY } from "../../domain/delivery.ts";
import { decodeMessageId } from "../../domain/message-id.ts";
import type { Db } from "../db/client.ts";
import type { Changes } from "../db/live-updates.ts";
import { sqlParts } from "../sending/sending.ts";
import type { Receipt } from "../transports/transport.ts";
import type { Place } from "./arrival.ts";
import { readElsewhere } from "./read-elsewhere.ts";

/** 1 MB of receipts. */
const REMEMBERED = 10_000;

/** SQL: people of `moved` (chat, status, at) in whose chats messages typed on the phone were delivered. */
const DELIVERED_THERE = sql`select n.address, moved.at
    from moved join chat c on c.id = moved.chat cross join lateral (values (c.phone::text), (c.lid)) as n(address)
    where moved.status >= ${sql.lit(DELIVERY.delivered)} and c.kind = 'person'`;

type Deps = { db: Db; changes: Pick<Changes, "mark">; messageKey: Uint8Array };
type States = ReadonlyMap<string, number>;

export type PhoneReceipts = ReturnType<typeof phoneReceipts>;

/** Of messages our numbers sent elsewhere: idempotent, in any order, only upwards (W16). */
export function phoneReceipts({ db, changes, messageKey }: Deps) {
  /** Receipts may precede their message. Memory only: a restart loses a tick. */
  const early = new Map<string, number>();
  const reading = readElsewhere({ db, changes });
  const nameOf = (connectionId: number, id: string) => `${connectionId} ${id}`;

  function remember(connectionId: number, states: States): void {
    for (const [id, state] of states) {
      const name = nameOf(connectionId, id);
      early.set(name, Math.max(state, early.get(name) ?? 0));
    }
    for (const name of early.keys()) {
      if (early.size <= REMEMBERED) return;
      early.delete(name);
    }
  }

  async function move(connectionId: number, states: States): Promise<void> {
    const { rows } = await sql<{
      id: string;
      chat: number;
      account: string;
    }>`with moved as (
        update chat_message m set status = t.status
        from unnest(${[...states.keys()]}::text[], ${[...states.values()]}::smallint[]) as t(id, status)
        where m.connection_id = ${connectionId} and m.provider_id = t.id and m.from_me and coalesce(m.status, 0) < t.status
        returning t.id, t.status, m.chat_id as chat, m.account_id as account, m.at),
      noted as (${sqlParts().delivered(connectionId, DELIVERED_THERE)})
      select id, chat, account from moved`.execute(db);
    for (const { id, chat, account } of rows) {
      early.delete(nameOf(connectionId, id));
      changes.mark(account, "chats", chat);
    }
  }

  return {
    record: async (connectionId: number, receipts: readonly Receipt[]): Promise<void> => {
      const states = new Map<string, number>();
      for (const { messageId, status } of receipts) {
        // Thousands belong to campaigns.
        if (status === "error" || decodeMessageId(messageKey, messageId) !== null) continue;
        states.set(messageId, Math.max(PROVED_BY[status], states.get(messageId) ?? 0));
      }
      if (states.size === 0) return;
      // First: a message being stored looks here afterwards.
      remember(connectionId, states);
      await move(connectionId, states);
    },

    read: reading.record,

    arrived: async (place: Place, own: readonly string[], all: readonly string[]): Promise<void> => {
      const { connectionId } = place;
      await reading.arrived(place, all);
      const states = new Map(
        own.flatMap((id) => {
          const state = early.get(nameOf(connectionId, id));
          return state === undefined ? [] : [[id, state] as const];
        }),
      );
      if (states.size > 0) await move(connectionId, states);
    },
  };
}
