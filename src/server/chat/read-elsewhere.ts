import { sql } from "kysely";
import type { Db } from "../db/client.ts";
import type { Changes } from "../db/live-updates.ts";
import { holdChats, type Place } from "./receive-repo.ts";

/** Ids remembered: 2 MB. */
const REMEMBERED = 10_000;

type Deps = { db: Db; changes: Pick<Changes, "mark"> };

/**
 * What others wrote and somebody read on the phone is not unread here either, up to the newest message that was read: whoever opens a
 * conversation there has its end before them. In any order and safe to repeat, only downwards.
 */
export function readElsewhere({ db, changes }: Deps) {
  /**
   * They may overtake their message, which waits for its keys or its batch. Kept also of those that are there: where an older one comes
   * late, they say from where on the chat is unread. Lost with the process: one unread message more, nothing else.
   */
  const told = new Map<string, Place & { id: string }>();
  const nameOf = ({ connectionId }: Place, id: string) => `${connectionId} ${id}`;

  function remember(place: Place, ids: readonly string[]): void {
    for (const id of ids) told.set(nameOf(place, id), { ...place, id });
    for (const name of told.keys()) {
      if (told.size <= REMEMBERED) return;
      told.delete(name);
    }
  }

  async function mark(place: Place, ids: readonly string[]): Promise<void> {
    const { connectionId, accountId } = place;
    const read = await db.transaction().execute(async (tx) => {
      // What is being stored at this moment is counted, and stays unread.
      return (await holdChats(tx, place)) ? publishChats(tx, connectionId, ids) : [];
    });
    for (const chat of read) changes.mark(accountId, "chats", chat);
  }

  return {
    told: async (place: Place, ids: readonly string[]): Promise<void> => {
      // Before looking: a message that is being stored at this moment looks here when it is.
      remember(place, ids);
      await mark(place, ids);
    },

    /** These messages are there now. */
    arrived: async (place: Place, ids: readonly string[]): Promise<void> => {
      if (!ids.some((id) => told.has(nameOf(place, id)))) return;
      const here = [...told.values()].filter(({ connectionId }) => connectionId === place.connectionId);
      await mark(
        place,
        here.map(({ id }) => id),
      );
    },
  };
}

/** Leaves unread in each chat only what follows the newest of these messages. Answers the chats in which that changed something. */
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
