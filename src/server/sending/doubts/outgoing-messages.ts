import { sql } from "kysely";
import { readChatId } from "../../../domain/chat-id.ts";
import { contentHash } from "../../../domain/content-hash.ts";
import type { Db } from "../../db/client.ts";
import type { IncomingMessage } from "../../transports/transport.ts";
import type { UnmatchedOutgoing } from "./match-outgoing.ts";

const KEPT_DAYS = 2;

/**
 * Stores a gateway's outgoing webhook messages with unknown ids, among them those whose answer we never got
 * (reconcile.ts). Idempotent in any order; a repetition adds further addresses.
 */
export async function recordOutgoing(
  db: Db,
  connectionId: number,
  messages: readonly IncomingMessage[],
): Promise<void> {
  const echoes = new Map(
    messages
      .filter(({ fromMe, viaApi, edits, deletes }) => fromMe && viaApi && !edits && !deletes)
      .map((message) => [message.providerId, outgoingOf(message)]),
  );
  if (echoes.size === 0) return;
  const all = [...echoes.values()];
  await sql`insert into outgoing_webhook_message as e (connection_id, provider_id, phone, jid, lid, content, at)
    select ${connectionId}, t.id, t.phone, t.jid, t.lid, t.content, t.at
    from unnest(${all.map((one) => one.id)}::text[], ${all.map((one) => one.phone)}::bigint[], ${all.map((one) => one.jid)}::text[],
      ${all.map((one) => one.lid)}::text[], ${all.map((one) => one.content)}::bytea[], ${all.map((one) => one.at)}::timestamptz[])
      as t(id, phone, jid, lid, content, at)
    where exists (select 1 from connection where id = ${connectionId})
      and not exists (select 1 from provider_message p where p.connection_id = ${connectionId} and p.provider_id = t.id)
    order by t.id
    on conflict (connection_id, provider_id) do update set phone = coalesce(e.phone, excluded.phone),
      jid = coalesce(e.jid, excluded.jid), lid = coalesce(e.lid, excluded.lid)`.execute(db);
}

function outgoingOf({ providerId: id, chat, kind, text, at }: IncomingMessage) {
  const ids = chat.map(readChatId);
  const person = ids.find((one) => one.kind === "phone");
  const hidden = ids.find((one) => one.kind === "lid");
  const group = ids.find((one) => one.kind === "group");
  return {
    id,
    at,
    content: contentHash(kind, text),
    phone: person?.phone ?? null,
    jid: group?.jid ?? person?.jid ?? null,
    lid: hidden?.lid ?? null,
  };
}

export async function unmatchedOutgoing(
  db: Db,
  connectionId: number,
  contents: readonly string[],
): Promise<UnmatchedOutgoing[]> {
  const { rows } = await sql<{
    providerId: string;
    phone: string | null;
    jid: string | null;
    lid: string | null;
    content: string;
    at: Date;
  }>`select provider_id as "providerId", phone::text as phone, jid, lid, encode(content, 'hex') as content, at from outgoing_webhook_message e
    where connection_id = ${connectionId} and content in (select decode(c, 'hex') from unnest(${[...contents]}::text[]) c)
      and not exists (select 1 from provider_message p
        where p.connection_id = e.connection_id and p.provider_id = e.provider_id)`.execute(db);
  return rows.map(({ providerId, phone, jid, lid, content, at }) => ({
    providerId,
    content,
    at: at.getTime(),
    names: [phone, jid, lid].filter((name) => name !== null),
  }));
}

export async function purgeOutgoing(db: Db): Promise<void> {
  await sql`delete from outgoing_webhook_message where received_at < now() - ${KEPT_DAYS} * interval '1 day'`.execute(
    db,
  );
}
