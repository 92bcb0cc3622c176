import { sql } from "kysely";
import type { MessageKind } from "../../domain/chat.ts";
import { DELIVERY } from "../../domain/delivery.ts";
import { shareAccount } from "../db/account.ts";
import type { Db } from "../db/client.ts";
import type { Arrival, Place } from "./arrival.ts";
import { mergeDeletions } from "./deletions.ts";
import type { CleanMessage } from "./incoming.ts";
import type { Conversation, KnownChat } from "./merge-chats.ts";
import { quotedCopy } from "./quotes.ts";
import { mergeReactions } from "./reactions.ts";

/**
 * One batch per connection across processes. Locks parent rows first, like a deletion, to avoid deadlocks.
 * Answers the own phone, null if gone.
 */
export async function holdChats(
  tx: Db,
  { accountId, connectionId }: Place,
): Promise<{ ownPhone: string | null } | null> {
  await shareAccount(tx, accountId);
  const { rows } = await sql<{ kind: string; device: string }>`
    select kind, device_id as device from connection
    where id = ${connectionId} and account_id = ${accountId}::uuid for key share`.execute(tx);
  if (!rows[0]) return null;
  await sql`select pg_advisory_xact_lock(hashtextextended('chats of ' || ${connectionId}::bigint, 0))`.execute(
    tx,
  );
  if (rows[0].kind === "device") return { ownPhone: rows[0].device };
  const linked = await sql<{ phone: string | null }>`
    select phone::text as phone from instance where connection_id = ${connectionId}`.execute(tx);
  return { ownPhone: linked.rows[0]?.phone ?? null };
}

export async function findNamed(
  tx: Db,
  { connectionId }: Place,
  messages: readonly Pick<CleanMessage, "names">[],
): Promise<KnownChat[]> {
  const all = (name: "phone" | "jid" | "lid") => [
    ...new Set(messages.flatMap(({ names }) => names[name] ?? [])),
  ];
  const { rows } = await sql<KnownChat>`
    select id, kind, phone::text as phone, jid, lid from chat where connection_id = ${connectionId}
      and (phone = any(${all("phone")}::bigint[]) or jid = any(${all("jid")}) or lid = any(${all("lid")}))
    order by id`.execute(tx);
  return rows;
}

/** Ids in the given order. */
export async function insertChats(
  tx: Db,
  { accountId, connectionId }: Place,
  fresh: readonly Conversation[],
): Promise<number[]> {
  if (fresh.length === 0) return [];
  const rows = fresh.map(({ kind, names }, place) => ({ place, kind, ...names }));
  const inserted = await sql<{ id: number; phone: string | null; jid: string | null; lid: string | null }>`
    insert into chat (account_id, connection_id, kind, phone, jid, lid, last_at)
    select ${accountId}::uuid, ${connectionId}, kind, phone, jid, lid, 'epoch'
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as t(place int, kind text, phone bigint, jid text, lid text)
    order by place returning id, phone::text as phone, jid, lid`.execute(tx);
  const name = (one: { phone: string | null; jid: string | null; lid: string | null }) =>
    `${one.phone} ${one.jid} ${one.lid}`;
  const ids = new Map(inserted.rows.map((row) => [name(row), row.id]));
  return fresh.map(({ names }) => ids.get(name(names)) ?? 0);
}

/** `nameChat` sets the names. */
export async function mergeChats(tx: Db, from: readonly number[], into: number): Promise<void> {
  await mergeReactions(tx, from, into);
  await mergeDeletions(tx, from, into);
  await sql`update chat_message set chat_id = ${into} where chat_id = any(${from}::bigint[])`.execute(tx);
  await sql`with gone as (delete from chat where id = any(${from}::bigint[]) returning *),
      newest as (select * from gone order by last_at desc limit 1)
    update chat c set
      unread = c.unread + (select sum(unread) from gone),
      push_name = coalesce(c.push_name, n.push_name),
      agent_off = c.agent_off or (select bool_or(agent_off) from gone),
      agent_paused_until = greatest(c.agent_paused_until, (select max(agent_paused_until) from gone)),
      last_text = case when n.last_at > c.last_at then n.last_text else c.last_text end,
      last_kind = case when n.last_at > c.last_at then n.last_kind else c.last_kind end,
      last_from_me = case when n.last_at > c.last_at then n.last_from_me else c.last_from_me end,
      last_at = greatest(c.last_at, n.last_at)
    from newest n where c.id = ${into}`.execute(tx);
}

export async function nameChat(tx: Db, id: number, { names }: Conversation): Promise<void> {
  await sql`update chat set phone = ${names.phone}::bigint, jid = ${names.jid}, lid = ${names.lid} where id = ${id}`.execute(
    tx,
  );
}

/** Answers new ids by WhatsApp's. */
export async function insertMessages(
  tx: Db,
  { accountId, connectionId }: Place,
  arrivals: readonly Arrival[],
  ownPhone: string | null,
): Promise<Map<string, number>> {
  const entries = arrivals.map(({ chatId, message, brought }) => ({
    chat_id: chatId,
    attachment_id: brought?.attachmentId ?? null,
    provider_id: message.providerId,
    from_me: message.fromMe,
    via_api: message.viaApi,
    participant: message.participant,
    participant_name: message.kindOfChat === "group" ? message.pushName : null,
    kind: message.kind,
    text: message.text,
    edited: message.edits !== null,
    quoted_id: message.quotedId,
    quoted: quotedCopy(message, ownPhone),
    details: message.details,
    // It came from WhatsApp.
    status: message.fromMe ? DELIVERY.sent : null,
    at: message.at,
  }));
  const { rows } = await sql<{ id: number; provider: string }>`
    insert into chat_message (account_id, connection_id, chat_id, provider_id, from_me, via_api, participant, participant_name, kind,
      text, attachment_id, edited, quoted_id, quoted, details, status, at)
    select ${accountId}::uuid, ${connectionId}, chat_id, provider_id, from_me, via_api, participant, participant_name, kind, text,
      attachment_id, edited, quoted_id, quoted, details, status, at
    from jsonb_to_recordset(${JSON.stringify(entries)}::jsonb) as t(chat_id bigint, provider_id text, from_me boolean, via_api boolean,
      participant text, participant_name text, kind text, text text, attachment_id bigint, edited boolean, quoted_id text, quoted jsonb, details jsonb, status smallint, at timestamptz)
    on conflict (connection_id, provider_id) do nothing returning id, provider_id as provider`.execute(tx);
  return new Map(rows.map((row) => [row.provider, row.id]));
}

export async function findStored(
  db: Db,
  { connectionId }: Place,
  providerIds: readonly string[],
): Promise<Map<string, { id: number; hasAttachment: boolean }>> {
  if (providerIds.length === 0) return new Map();
  const { rows } = await sql<{ id: number; provider: string; hasAttachment: boolean }>`
    select id, provider_id as provider, attachment_id is not null as "hasAttachment" from chat_message
    where connection_id = ${connectionId} and provider_id = any(${providerIds})`.execute(db);
  return new Map(rows.map(({ provider, ...row }) => [provider, row]));
}

/** Chat and side must match: group members know others' message ids and could reuse one. */
export async function addFile(
  tx: Db,
  id: number,
  { chatId, message, attachmentId }: { chatId: number; message: CleanMessage; attachmentId: number },
): Promise<boolean> {
  const { numAffectedRows } = await sql`update chat_message set attachment_id = ${attachmentId}
    where id = ${id} and attachment_id is null and chat_id = ${chatId} and from_me = ${message.fromMe}`.execute(
    tx,
  );
  return numAffectedRows === 1n;
}

/** `same`: the text is unchanged. */
export async function editMessage(
  tx: Db,
  chatId: number,
  { edits, fromMe, participant, text }: CleanMessage,
): Promise<"changed" | "same" | "missing"> {
  const { rows } = await sql<{
    at: Date;
    was: string;
    before: boolean;
  }>`update chat_message m set text = ${text}, edited = true
    from chat_message old where old.id = m.id
      and m.chat_id = ${chatId} and m.provider_id = ${edits} and m.from_me = ${fromMe} and m.participant is not distinct from ${participant}
    returning m.at, old.text as was, old.edited as before`.execute(tx);
  const [row] = rows;
  if (!row) return "missing";
  if (row.was === text && row.before) return "same";
  await sql`update chat set last_text = ${text} where id = ${chatId} and last_at = ${row.at}`.execute(tx);
  return "changed";
}

export type Summary = {
  chatId: number;
  /** Upper bound; later answers are subtracted. */
  unread: number;
  pushName: string | null;
  pausedUntil: Date | null;
  last: { at: Date; text: string; kind: MessageKind; fromMe: boolean };
};

/** Phone answers mark earlier ones read, in any order. */
export async function noteArrivals(tx: Db, summaries: readonly Summary[]): Promise<void> {
  if (summaries.length === 0) return;
  const entries = summaries.map(({ last, ...one }) => ({ ...one, ...last }));
  await sql`update chat c set
      unread = (select count(*) from (
        select 1 from chat_message m
        where m.chat_id = c.id and not m.from_me and m.kind <> 'reaction' and m.at > coalesce((
          select max(h.at) from chat_message h where h.chat_id = c.id and h.from_me and not h.via_api and h.kind <> 'reaction'), '-infinity')
        limit c.unread + t.unread) after_answer),
      push_name = coalesce(t."pushName", c.push_name),
      agent_paused_until = greatest(c.agent_paused_until, t."pausedUntil"),
      last_text = case when t.at >= c.last_at then t.text else c.last_text end,
      last_kind = case when t.at >= c.last_at then t.kind else c.last_kind end,
      last_from_me = case when t.at >= c.last_at then t."fromMe" else c.last_from_me end,
      last_at = greatest(c.last_at, t.at)
    from jsonb_to_recordset(${JSON.stringify(entries)}::jsonb) as t("chatId" bigint, unread int, "pushName" text, "pausedUntil" timestamptz,
      at timestamptz, text text, kind text, "fromMe" boolean)
    where c.id = t."chatId"`.execute(tx);
}
