import { type RawBuilder, sql } from "kysely";
import type { ReceivedFile } from "../../contract/chats.ts";
import type { AttachmentSummary } from "../../contract/files.ts";
import type { MessageKind } from "../../domain/chat.ts";
import type { FieldTexts } from "../../domain/message-text.ts";
import type { Owner } from "../db/owner.ts";
import { fileReads } from "../files/service.ts";
import { sqlParts } from "../sending/sending.ts";
import type { MessageDetails } from "../transports/transport.ts";
import type { QuotedCopy } from "./quotes.ts";

const { campaignMessages, isOurs } = sqlParts();

export const MESSAGES = 100;

export type ChatNames = {
  id: number;
  connectionId: number;
  phone: string | null;
  jid: string | null;
  lid: string | null;
};

/**
 * Microseconds since 1970, source, row. At one instant a campaign's message (perhaps timed by its read
 * receipt) comes first, ours last.
 */
export type Place = { us: number; source: Source; a: number; b: number };

export const SOURCES = ["d", "m", "o"] as const;
export type Source = (typeof SOURCES)[number];

export type MessageRow = {
  source: Source;
  us: number;
  a: number;
  b: number;
  text: string;
  attachment: AttachmentSummary | null;
  received_file: ReceivedFile | null;
  status: number | null;
  error: string | null;
  kind: MessageKind | null;
  from_me: boolean | null;
  via_api: boolean | null;
  participant: string | null;
  participant_name: string | null;
  origin: "api" | "chat" | "agent" | "opt_out" | "test" | null;
  campaign: string | null;
  name: string | null;
  name_fallback: string | null;
  text_version: number | null;
  vars: FieldTexts | null;
  edited: boolean | null;
  quoted_id: string | null;
  quoted_key: string | null;
  quoted: QuotedCopy | null;
  send_at: Date | null;
  request_key: string | null;
  details: MessageDetails | null;
};

const us = (column: string) => sql.raw(`(extract(epoch from ${column}) * 1000000)::bigint`);
const NONE = sql.raw("null");

type Columns = Partial<Record<keyof MessageRow, RawBuilder<unknown>>>;

function columns(own: Columns): RawBuilder<unknown> {
  const all: [keyof MessageRow, string][] = [
    ["source", "text"],
    ["us", "bigint"],
    ["a", "bigint"],
    ["b", "bigint"],
    ["text", "text"],
    ["attachment", "json"],
    ["received_file", "json"],
    ["status", "smallint"],
    ["error", "text"],
    ["kind", "text"],
    ["from_me", "boolean"],
    ["via_api", "boolean"],
    ["participant", "text"],
    ["participant_name", "text"],
    ["origin", "text"],
    ["campaign", "text"],
    ["name", "text"],
    ["name_fallback", "text"],
    ["text_version", "smallint"],
    ["vars", "jsonb"],
    ["edited", "boolean"],
    ["quoted_id", "text"],
    ["quoted_key", "text"],
    ["quoted", "jsonb"],
    ["details", "jsonb"],
    ["send_at", "timestamptz"],
    ["request_key", "text"],
  ];
  return sql.join(
    all.map(([name, type]) => sql`(${own[name] ?? NONE})::${sql.raw(type)} as ${sql.ref(name)}`),
    sql`, `,
  );
}

function before(source: Source, place: Place | null, at: string, a: string, b: string): RawBuilder<unknown> {
  if (place === null) return sql`true`;
  const then = sql`(timestamptz 'epoch' + ${place.us}::bigint * interval '1 microsecond')`;
  const order = SOURCES.indexOf(source) - SOURCES.indexOf(place.source);
  if (order < 0) return sql`${sql.raw(at)} <= ${then}`;
  if (order > 0) return sql`${sql.raw(at)} < ${then}`;
  return sql`(${sql.raw(`${at}, ${a}, ${b}`)}) < (${then}, ${place.a}::bigint, ${place.b}::bigint)`;
}

const RECEIVED = columns({
  source: sql`'m'`,
  us: us("m.at"),
  a: sql`m.id`,
  b: sql`0`,
  attachment: fileReads.summaryOf(sql`m.account_id`, sql`m.attachment_id`),
  received_file: sql`(select json_build_object('messageId', r.message_id, 'state', r.state, 'kind', r.kind, 'name', r.name,
    'bytes', r.size, 'seconds', r.seconds, 'pages', r.pages)
    from received_file r where r.message_id = m.id and r.account_id = m.account_id)`,
  quoted_id: sql`case when m.kind <> 'reaction' then m.quoted_id end`,
  ...pick("m", [
    "text",
    "status",
    "kind",
    "from_me",
    "via_api",
    "participant",
    "participant_name",
    "edited",
    "quoted_key",
    "quoted",
    "details",
  ]),
});

/** Without outgoing webhook messages. */
const received = (chat: ChatNames, place: Place | null, limit: number) => sql`
  select ${RECEIVED}
  from chat_message m where m.chat_id = ${chat.id} and ${before("m", place, "m.at", "m.id", "0::bigint")}
    and not (m.from_me and ${isOurs(sql`m.connection_id`, sql`m.provider_id`)})
  order by m.at desc, m.id desc limit ${limit}`;

const SENT = columns({
  source: sql`'o'`,
  us: us("o.created_at"),
  a: sql`o.id`,
  b: sql`0`,
  attachment: fileReads.summaryOf(sql`o.account_id`, sql`o.attachment_id`),
  quoted_key: sql`o.about_key`,
  request_key: sql`o.idempotency_key`,
  ...pick("o", ["text", "status", "error", "origin", "send_at"]),
});

const sentTo = (chat: ChatNames, name: RawBuilder<unknown>, place: Place | null, limit: number) => sql`
  select ${SENT}
  from outbox o where o.connection_id = ${chat.connectionId} and ${name} and o.action is null
    and ${before("o", place, "o.created_at", "o.id", "0::bigint")}
  order by o.created_at desc, o.id desc limit ${limit}`;

const CAMPAIGNED = columns({
  source: sql`'d'`,
  us: us("d.at"),
  a: sql`d.campaign_id`,
  b: sql`d.place`,
  attachment: fileReads.summaryOf(sql`d.account_id`, sql`d.attachment_id`),
  ...pick("d", ["campaign", "text", "name_fallback", "text_version", "vars", "status", "error", "name"]),
});

const ofCampaigns = (owner: Owner, { connectionId, phone }: ChatNames) =>
  campaignMessages({ accountId: owner.accountId, connectionId }, phone);

const campaigned = (owner: Owner, chat: ChatNames, place: Place | null, limit: number) => sql`
  select ${CAMPAIGNED}
  from ${ofCampaigns(owner, chat)} d
  where ${before("d", place, "d.at", "d.campaign_id", "d.place")}
  order by d.at desc, d.campaign_id desc, d.place desc limit ${limit}`;

function pick(table: string, names: readonly (keyof MessageRow)[]): Columns {
  return Object.fromEntries(names.map((name) => [name, sql.raw(`${table}.${name}`)]));
}

export async function findMessages(
  owner: Owner,
  chat: ChatNames,
  place: Place | null,
  limit: number,
): Promise<MessageRow[]> {
  const { phone, jid, lid } = chat;
  const parts = [received(chat, place, limit)];
  if (phone !== null) {
    parts.push(campaigned(owner, chat, place, limit));
    parts.push(sentTo(chat, sql`o.phone = ${phone}::bigint`, place, limit));
  }
  for (const name of [jid, lid])
    if (name !== null) parts.push(sentTo(chat, sql`o.jid = ${name} and o.phone is null`, place, limit));
  const { rows } = await sql<MessageRow>`select * from (${sql.join(
    parts.map((part) => sql`(${part})`),
    sql` union all `,
  )}) as page order by us desc, array_position(array['d', 'm', 'o'], source) desc, a desc, b desc limit ${limit}`.execute(
    owner.db,
  );
  return rows;
}

export async function findByKeys(
  owner: Owner,
  chat: ChatNames,
  keys: readonly string[],
): Promise<MessageRow[]> {
  if (keys.length === 0) return [];
  const ids = (source: string) => keys.filter((key) => key.startsWith(source)).map((key) => key.slice(1));
  const { rows } = await sql<MessageRow>`
    select ${RECEIVED} from chat_message m
    where m.id = any(${ids("m")}::bigint[]) and m.chat_id = ${chat.id} and m.account_id = ${owner.accountId}::uuid
    union all select ${SENT} from outbox o where o.id = any(${ids("o")}::bigint[]) and ${isTo(owner, chat)}
    union all select ${CAMPAIGNED} from ${ofCampaigns(owner, chat)} d
    where d.campaign_id || '-' || d.place = any(${ids("d")})`.execute(owner.db);
  return rows;
}

const isTo = (owner: Owner, { connectionId, phone, jid, lid }: ChatNames) =>
  sql`o.account_id = ${owner.accountId}::uuid and o.connection_id = ${connectionId} and o.action is null
      and (o.phone = ${phone}::bigint or o.jid = ${jid} or o.jid = ${lid})`;

export async function findSent(
  owner: Owner,
  chat: ChatNames,
  outboxId: number,
): Promise<MessageRow | undefined> {
  const { rows } = await sql<MessageRow>`
    select ${SENT}
    from outbox o where o.id = ${outboxId} and ${isTo(owner, chat)}`.execute(owner.db);
  return rows[0];
}

export async function findReceived(
  owner: Owner,
  chat: ChatNames,
  messageId: number,
): Promise<MessageRow | undefined> {
  const { rows } = await sql<MessageRow>`
    select ${RECEIVED}
    from chat_message m where m.id = ${messageId} and m.account_id = ${owner.accountId}::uuid and m.chat_id = ${chat.id}`.execute(
    owner.db,
  );
  return rows[0];
}
