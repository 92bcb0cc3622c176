import { sql } from "kysely";
import type { Db } from "../db/client.ts";
import type { Owner } from "../db/owner.ts";
import type { Arrival, Place } from "./arrival.ts";
import type { CleanMessage } from "./incoming.ts";
import { findKeys } from "./message-keys.ts";

export const deletes = ({ deletes: id }: CleanMessage): boolean => id !== null;

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
    on conflict (chat_id, message_key) do update set outbox_id = null where message_deletion.outbox_id is not null
    returning chat_id as chat`.execute(owner.db);
  return new Set(rows.map(({ chat }) => chat));
}

export type Deletion = { by: "writer" | "admin"; status: number | null; error: string | null };

export async function findDeleted(
  { db, accountId }: Owner,
  chatId: number,
  keys: readonly string[],
): Promise<Map<string, Deletion>> {
  const { rows } = await sql<Deletion & { key: string }>`
    select message_key as key, case when by_writer then 'writer' else 'admin' end as by, o.status, o.error
    from message_deletion d left join outbox o on o.id = d.outbox_id
    where d.chat_id = ${chatId} and d.account_id = ${accountId}::uuid and message_key = any(${[...keys]})`.execute(
    db,
  );
  return new Map(rows.map(({ key, ...deletion }) => [key, deletion]));
}

export async function mergeDeletions(tx: Db, from: readonly number[], into: number): Promise<void> {
  await sql`insert into message_deletion (chat_id, account_id, message_key, by_writer, at)
    select ${into}::bigint, account_id, message_key, by_writer, at
    from message_deletion where chat_id = any(${[...from]}::bigint[]) on conflict do nothing`.execute(tx);
}
