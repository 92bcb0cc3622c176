import { sql } from "kysely";
import type { Db } from "../db/client.ts";
import type { Changes } from "../db/live-updates.ts";
import type { Place } from "./arrival.ts";
import { holdChats } from "./receive-repo.ts";

/** 2 MB of ids. */
const REMEMBERED = 10_000;

type Deps = { db: Db; changes: Pick<Changes, "mark"> };

/** Messages read on the phone, up to the newest, are read here too. Idempotent, in any order. */
export function readElsewhere({ db, changes }: Deps) {
  /** Receipts may precede their message (keys, batch). Memory only: a restart leaves one unread. */
  const remembered = new Map<string, Place & { id: string }>();
  const nameOf = ({ connectionId }: Place, id: string) => `${connectionId} ${id}`;

  function remember(place: Place, ids: readonly string[]): void {
    for (const id of ids) remembered.set(nameOf(place, id), { ...place, id });
    for (const name of remembered.keys()) {
      if (remembered.size <= REMEMBERED) return;
      remembered.delete(name);
    }
  }

  async function mark(place: Place, ids: readonly string[]): Promise<void> {
    const { connectionId, accountId } = place;
    const read = await db.transaction().execute(async (tx) => {
      // Messages being stored count and stay unread.
      return (await holdChats(tx, place)) ? publishChats(tx, connectionId, ids) : [];
    });
    for (const chat of read) changes.mark(accountId, "chats", chat);
  }

  return {
    record: async (place: Place, ids: readonly string[]): Promise<void> => {
      // First: a message being stored looks here afterwards.
      remember(place, ids);
      await mark(place, ids);
    },

    arrived: async (place: Place, ids: readonly string[]): Promise<void> => {
      if (!ids.some((id) => remembered.has(nameOf(place, id)))) return;
      const here = [...remembered.values()].filter(({ connectionId }) => connectionId === place.connectionId);
      await mark(
        place,
        here.map(({ id }) => id),
      );
    },
  };
}

/** Answers the changed chats. */
async function publishChats(tx: Db, connectionId: number, ids: readonly string[]): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    with newest as (
      select distinct on (m.chat_id) m.chat_id, m.at, m.id from chat_message m
      where m.connection_id = ${connectionId} and m.provider_id = any(${ids}::text[]) and not m.from_me
      order by m.chat_id, m.at desc, m.id desc),
    left_unread as (
      select c.id, (select count(*) from (
        select 1 from chat_message m
        where m.chat_id = c.id and (m.at, m.id) > (n.at, n.id) and not m.from_me and m.kind <> 'reaction' limit c.unread) since) as unread
      from newest n join chat c on c.id = n.chat_id)
    update chat c set unread = least(c.unread, l.unread) from left_unread l
    where c.id = l.id and c.unread > l.unread returning c.id`.execute(tx);
  return rows.map(({ id }) => id);
}
