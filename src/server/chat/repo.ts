import { type RawBuilder, sql } from "kysely";
import type { AttachmentKind } from "../../domain/attachment.ts";
import type { MessageKind, MessageSource } from "../../domain/chat.ts";
import { contactReads } from "../contacts/service.ts";
import { byIndex } from "../db/by-index.ts";
import type { Owner } from "../db/owner.ts";
import { holdsWords, phonePattern } from "../db/search.ts";
import { fileReads } from "../files/service.ts";
import { sqlParts } from "../sending/sending.ts";
import { MESSAGES } from "./messages-repo.ts";

const { optOuts, gotCampaign } = sqlParts();

export type ChatRow = {
  id: number;
  connection_id: number;
  kind: "person" | "group";
  phone: string | null;
  jid: string | null;
  lid: string | null;
  push_name: string | null;
  subject: string | null;
  saved_name: string | null;
  unread: number;
  last_at: Date;
  last_us: number;
  last_text: string;
  last_kind: MessageKind;
  last_from_me: boolean;
  agent_off: boolean;
  agent_paused_until: Date | null;
  left_by: "reply" | "manual" | "asked" | null;
  left_text: string | null;
  left_at: Date | null;
  sent_at: Date | null;
  sent_text: string | null;
  sent_attachment: AttachmentKind | null;
  sent_origin: MessageSource | null;
};

/** Microseconds since 1970, and the chat. */
export type ChatPlace = { us: number; id: number };

const instant = (us: number) => sql`(timestamptz 'epoch' + ${us}::bigint * interval '1 microsecond')`;

const VISIBLE = sql`exists (select 1 from connection k where k.id = c.connection_id and k.desired <> 'removed')`;

const SENT = sql`
  select s.created_at, s.text, s.attachment_id, s.origin from (${sql.join(
    ["o.phone = c.phone", "o.jid = c.jid", "o.jid = c.lid"].map(
      (name) => sql`(select o.created_at, o.text, o.attachment_id, o.origin from outbox o
        where o.connection_id = c.connection_id and ${sql.raw(name)} and o.action is null and o.created_at > c.last_at and o.created_at <= now()
        order by o.created_at desc limit 1)`,
    ),
    sql` union all `,
  )}) s order by s.created_at desc limit 1`;

const shown = (chats: RawBuilder<unknown>) => sql<ChatRow>`
  select c.id, c.connection_id, c.kind, c.phone::text as phone, c.jid, c.lid, c.push_name, c.subject, saved.name as saved_name, c.unread,
    c.last_at, (extract(epoch from c.last_at) * 1000000)::bigint as last_us, c.last_text, c.last_kind, c.last_from_me,
    c.agent_off, c.agent_paused_until,
    leaving.source as left_by, leaving.text as left_text, leaving.created_at as left_at,
    sent.created_at as sent_at, sent.text as sent_text, ${fileReads.kindOf(sql`c.account_id`, sql`sent.attachment_id`)} as sent_attachment,
    sent.origin as sent_origin
  from (${chats}) c
    left join lateral (${contactReads.savedName(sql`c.account_id`, sql`c.phone`)}) saved on true
    left join ${optOuts} leaving on leaving.account_id = c.account_id and leaving.phone = c.phone
    left join lateral (${SENT}) sent on true
  order by c.last_at desc, c.id desc`;

export async function findChats(
  owner: Owner,
  connectionId: number,
  { search, after, limit }: { search: string; after: ChatPlace | null; limit: number },
): Promise<ChatRow[]> {
  const below = after === null ? sql`` : sql`and (c.last_at, c.id) < (${instant(after.us)}, ${after.id})`;
  const words = search === "" ? sql`` : sql`and (${matching(owner, connectionId, search)})`;
  const page = shown(sql`select c.* from chat c
    where c.connection_id = ${connectionId} and c.account_id = ${owner.accountId}::uuid and c.last_at > 'epoch' ${below} ${words}
    order by c.last_at desc, c.id desc limit ${limit}`);
  return byIndex(owner.db, page);
}

const SEARCH_MOST = 10_000;

function matching(owner: Owner, connectionId: number, search: string): RawBuilder<unknown> {
  const phone = phonePattern(search);
  const written = wordsQuery(connectionId, search);
  return sql.join(
    [
      holdsWords("coalesce(c.subject, c.push_name, '')", search),
      sql`c.phone in (${contactReads.phonesNamed(owner, search, SEARCH_MOST)})`,
      ...(phone === null ? [] : [sql`c.phone::text like ${phone}`, sql`c.jid like ${phone}`]),
      ...(written === null
        ? []
        : [
            sql`c.id in (
        select m.chat_id from chat_message m
        where chat_words(m.connection_id, m.text) @@ to_tsquery('simple', chat_plain(${written})) and m.connection_id = ${connectionId}
        limit ${SEARCH_MOST})`,
            sentFromHere(connectionId, written),
            campaigned(owner, connectionId, search),
          ]),
    ],
    sql` or `,
  );
}

function sentFromHere(connectionId: number, written: string): RawBuilder<unknown> {
  const found = (name: string) => sql`select ${sql.raw(`o.${name}`)} from outbox o
    where chat_words(o.connection_id, o.text) @@ to_tsquery('simple', chat_plain(${written})) and o.connection_id = ${connectionId}
      and ${sql.raw(`o.${name}`)} is not null
    limit ${SEARCH_MOST}`;
  return sql`c.phone in (${found("phone")}) or c.jid in (${found("jid")}) or c.lid in (${found("jid")})`;
}

/** People are looked up by key: a campaign may have millions. */
function campaigned({ accountId }: Owner, connectionId: number, search: string): RawBuilder<unknown> {
  const words = search.split(/\s+/).filter((word) => word !== "");
  return sql`c.phone in (
    select t.phone from (
      select phone from chat where connection_id = ${connectionId} and phone is not null and last_at > 'epoch'
      order by last_at desc limit ${SEARCH_MOST}) t
    where ${gotCampaign({ accountId, connectionId }, sql`t.phone`, words)})`;
}

function wordsQuery(connectionId: number, search: string): string | null {
  const words = search.normalize("NFC").match(/[\p{L}\p{Nd}]+/gu) ?? [];
  if (words.length === 0) return null;
  return [`c${connectionId}`, ...words.slice(0, 8).map((word) => `${word}:*`)].join(" & ");
}

export async function findChat(owner: Owner, id: number): Promise<ChatRow | undefined> {
  const { rows } = await shown(sql`select c.* from chat c
    where c.id = ${id} and c.account_id = ${owner.accountId}::uuid and ${VISIBLE}`).execute(owner.db);
  return rows[0];
}

export async function countUnread(owner: Owner, connectionId: number): Promise<number | null> {
  const { rows } = await sql<{ unread: number }>`
    select coalesce((select sum(unread) from chat where connection_id = k.id and unread > 0), 0)::int as unread
    from connection k where k.id = ${connectionId} and k.account_id = ${owner.accountId}::uuid and k.desired <> 'removed'`.execute(
    owner.db,
  );
  return rows[0]?.unread ?? null;
}

export async function countUnreadByConnection(
  owner: Owner,
): Promise<{ connectionId: number; unread: number }[]> {
  const { rows } = await sql<{ connectionId: number; unread: number }>`
    select k.id as "connectionId", sum(c.unread)::int as unread
    from connection k join chat c on c.connection_id = k.id and c.unread > 0
    where k.account_id = ${owner.accountId}::uuid and k.desired <> 'removed'
    group by k.id order by k.id`.execute(owner.db);
  return rows;
}

/** Newer messages stay unread, even if stored between the two statements: the first waits for them. */
export async function markRead(owner: Owner, id: number, upTo: number): Promise<void> {
  await owner.db.transaction().execute(async (tx) => {
    const { rows } = await sql`select from chat
      where id = ${id} and account_id = ${owner.accountId}::uuid and unread > 0 for update`.execute(tx);
    if (rows.length === 0) return;
    await sql`update chat c set unread = least(c.unread, (
        select count(*) from (
          select m.id, m.from_me, m.kind from chat_message m where m.chat_id = c.id order by m.at desc, m.id desc limit ${MESSAGES}) newest
        where newest.id > ${upTo} and not newest.from_me and newest.kind <> 'reaction'))
      where c.id = ${id}`.execute(tx);
  });
}

export async function switchAssistant(owner: Owner, id: number, on: boolean, now: Date): Promise<void> {
  await sql`update chat set agent_off = ${!on}, agent_paused_until = case
      when ${on} and (agent_off or agent_paused_until > ${now}) then ${now} else agent_paused_until end
    where id = ${id} and account_id = ${owner.accountId}::uuid`.execute(owner.db);
}

export async function pauseAssistant(owner: Owner, id: number, until: Date): Promise<void> {
  await sql`update chat set agent_paused_until = greatest(agent_paused_until, ${until})
    where id = ${id} and account_id = ${owner.accountId}::uuid`.execute(owner.db);
}

export async function noteSent(owner: Owner, id: number, text: string, kind: MessageKind): Promise<void> {
  await sql`update chat set last_at = greatest(last_at, now()), last_text = ${text}, last_kind = ${kind}, last_from_me = true, unread = 0
    where id = ${id} and account_id = ${owner.accountId}::uuid`.execute(owner.db);
}
