import { sql } from "kysely";
import type { Db } from "../db/client.ts";
import type { Owner } from "../db/owner.ts";
import type { CleanMessage } from "./incoming.ts";
import { findKeys } from "./message-keys.ts";
import type { Arrival, Place } from "./receive-repo.ts";

export const deletes = ({ deletes: id }: CleanMessage): boolean => id !== null;

/** Marks messages that are stored; others' ids change nothing. Answers the chats that changed. */
export async function storeDeletions(
  owner: Owner,
  place: Place,
  messageKey: Uint8Array,
  arrivals: readonly Arrival[],
): Promise<Set<number>> {
  const about = arrivals.flatMap(({ chatId, message }) =>
    message.deletes === null ? [] : [{ chatId, names: message.names, providerId: message.deletes, message }],
  );
  const keys = await findKeys(owner, place, messageKey, about);
  const entries = about.flatMap((one) => {
    const key = keys.get(one);
    if (key === undefined) return [];
    const { fromMe, participant, kindOfChat, at } = one.message;
    return [{ chat: one.chatId, key, from_me: fromMe, participant, in_group: kindOfChat === "group", at }];
  });
  if (entries.length === 0) return new Set();
  const { rows } = await sql<{ chat: number }>`
    insert into message_deletion (chat_id, account_id, message_key, by_writer, at)
    select distinct on (chat, key) chat, ${owner.accountId}::uuid, key, by_writer, at from (
      select t.*, case when m.id is null then t.from_me
        else m.from_me = t.from_me and m.participant is not distinct from t.participant end as by_writer
      from jsonb_to_recordset(${JSON.stringify(entries)}::jsonb)
          as t(chat bigint, key text, from_me boolean, participant text, in_group boolean, at timestamptz)
        left join chat_message m on m.chat_id = t.chat
          and m.id = case when t.key like 'm%' then substr(t.key, 2)::bigint end) judged
    -- Only an administrator of a group deletes what others wrote.
    where by_writer or in_group
    order by chat, key, at
    on conflict do nothing returning chat_id as chat`.execute(owner.db);
  return new Set(rows.map(({ chat }) => chat));
}

export type DeletedBy = "writer" | "admin";

export async function findDeleted(
  { db, accountId }: Owner,
  chatId: number,
  keys: readonly string[],
): Promise<Map<string, DeletedBy>> {
  const { rows } = await sql<{ key: string; by: DeletedBy }>`
    select message_key as key, case when by_writer then 'writer' else 'admin' end as by from message_deletion
    where chat_id = ${chatId} and account_id = ${accountId}::uuid and message_key = any(${[...keys]})`.execute(
    db,
  );
  return new Map(rows.map(({ key, by }) => [key, by]));
}

export async function mergeDeletions(tx: Db, from: readonly number[], into: number): Promise<void> {
  await sql`insert into message_deletion (chat_id, account_id, message_key, by_writer, at)
    select ${into}::bigint, account_id, message_key, by_writer, at
    from message_deletion where chat_id = any(${[...from]}::bigint[]) on conflict do nothing`.execute(tx);
}
