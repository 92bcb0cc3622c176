import { sql } from "kysely";
import { DELIVERY } from "../../domain/delivery.ts";
import type { Db } from "../db/client.ts";
import type { Owner } from "../db/owner.ts";
import type { Arrival, Place } from "./arrival.ts";
import { findKeys } from "./message-keys.ts";

const isReaction = ({ message }: Arrival) => message.kind === "reaction";

const EMOJI_MOST = 40;

export async function storeReactions(
  owner: Owner,
  place: Place,
  messageKey: Uint8Array,
  arrivals: readonly Arrival[],
): Promise<{ changed: Set<number>; shown: Arrival[]; strays: Arrival[] }> {
  const about = arrivals.filter(isReaction).map((arrival) => ({
    arrival,
    chatId: arrival.chatId,
    names: arrival.message.names,
    providerId: arrival.message.quotedId ?? "",
  }));
  const keys = await findKeys(owner, place, messageKey, about);
  const placed = about.flatMap((one) => {
    const key = keys.get(one);
    return key === undefined ? [] : [{ ...one.arrival, key }];
  });
  const strays = about.flatMap((one) =>
    keys.has(one) || one.arrival.message.text === "" ? [] : one.arrival,
  );
  const written = await write(owner, placed);
  const shown = placed.filter((one) => written.has(idOf(one)) && one.message.text !== "");
  const changed = new Set(placed.flatMap((one) => (written.has(idOf(one)) ? one.chatId : [])));
  await forgetLast(owner.db, [...changed]);
  return { changed, shown, strays };
}

type Placed = Arrival & { key: string };

const writerOf = ({ message }: Arrival) => message.participant ?? "";

const idOf = (one: Placed) => [one.chatId, one.key, one.message.fromMe, writerOf(one)].join(" ");

async function write({ db, accountId }: Owner, placed: readonly Placed[]): Promise<Set<string>> {
  if (placed.length === 0) return new Set();
  const entries = placed.map((one, place) => ({
    place,
    chat_id: one.chatId,
    message_key: one.key,
    from_me: one.message.fromMe,
    participant: writerOf(one),
    participant_name: one.message.kindOfChat === "group" ? one.message.pushName : null,
    emoji: one.message.text.slice(0, EMOJI_MOST).toWellFormed(),
    at: one.message.at,
  }));
  const { rows } = await sql<{ chat: number; key: string; fromMe: boolean; participant: string }>`
    insert into message_reaction as r (chat_id, account_id, message_key, from_me, participant, participant_name, emoji, at)
    select distinct on (chat_id, message_key, from_me, participant)
      chat_id, ${accountId}::uuid, message_key, from_me, participant, participant_name, emoji, at
    from jsonb_to_recordset(${JSON.stringify(entries)}::jsonb) as t(place int, chat_id bigint, message_key text, from_me boolean,
      participant text, participant_name text, emoji text, at timestamptz)
    order by chat_id, message_key, from_me, participant, at desc, place desc
    on conflict (chat_id, message_key, from_me, participant) do update
      set emoji = excluded.emoji, at = excluded.at, outbox_id = null, participant_name = coalesce(excluded.participant_name, r.participant_name)
      where excluded.at >= r.at and (excluded.emoji, excluded.at) is distinct from (r.emoji, r.at)
    returning chat_id as chat, message_key as key, from_me as "fromMe", participant`.execute(db);
  return new Set(rows.map((row) => [row.chat, row.key, row.fromMe, row.participant].join(" ")));
}

async function forgetLast(db: Db, chatIds: readonly number[]): Promise<void> {
  if (chatIds.length === 0) return;
  await sql`update chat c set last_at = greatest(coalesce(n.at, 'epoch'), n.sent - interval '1 microsecond'),
      last_text = coalesce(n.text, ''), last_kind = coalesce(n.kind, 'text'), last_from_me = coalesce(n.from_me, false)
    from (
      select k.id, m.at, m.text, m.kind, m.from_me, (
        select max(o.created_at) from outbox o where o.connection_id = k.connection_id and o.action is null and o.created_at <= now()
          and (o.phone = k.phone or o.jid = k.jid or o.jid = k.lid)) as sent
      from chat k left join lateral (
        select at, text, kind, from_me from chat_message where chat_id = k.id order by at desc, id desc limit 1) m on true
      where k.id = any(${[...chatIds]}::bigint[]) and k.last_kind = 'reaction') n
    where c.id = n.id and not exists (
      select from message_reaction r where r.chat_id = c.id and r.emoji <> '' and r.at >= c.last_at)`.execute(
    db,
  );
}

export type Reaction = {
  key: string;
  emoji: string;
  fromMe: boolean;
  who: string | null;
  status: number | null;
  error: string | null;
};

const MOST = 5_000;

export async function findReactions(
  { db, accountId }: Owner,
  chatId: number,
  keys: readonly string[],
): Promise<Map<string, Reaction[]>> {
  const { rows } = await sql<Reaction>`
    select message_key as key, emoji, from_me as "fromMe", coalesce(participant_name, nullif(participant, '')) as who, o.status, o.error
    from message_reaction r left join outbox o on o.id = r.outbox_id
    where r.chat_id = ${chatId} and r.account_id = ${accountId}::uuid and message_key = any(${[...keys]})
      and (emoji <> '' or o.status < ${DELIVERY.accepted})
    order by r.at, participant limit ${MOST}`.execute(db);
  return Map.groupBy(rows, ({ key }) => key);
}

export async function mergeReactions(tx: Db, from: readonly number[], into: number): Promise<void> {
  await sql`insert into message_reaction (chat_id, account_id, message_key, from_me, participant, participant_name, emoji, at)
    select distinct on (message_key, from_me, participant)
      ${into}::bigint, account_id, message_key, from_me, participant, participant_name, emoji, at
    from message_reaction where chat_id = any(${[...from]}::bigint[])
    order by message_key, from_me, participant, at desc
    on conflict do nothing`.execute(tx);
}
