import { type RawBuilder, sql } from "kysely";
import { DELIVERY } from "../../../domain/delivery.ts";
import { decodeMessageId } from "../../../domain/message-id.ts";
import { type FieldTexts, renderMessage } from "../../../domain/message-text.ts";
import type { Db } from "../../db/client.ts";
import { fileReads } from "../../files/service.ts";
import { OUTGOING_TEXT } from "../ledger/outgoing-text.ts";

export async function findOwnIds(
  db: Db,
  messageKey: Uint8Array,
  connectionId: number,
  ids: readonly string[],
): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const nonceOf = new Map<string, number>();
  for (const id of ids) {
    const ref = decodeMessageId(messageKey, id);
    if (ref) nonceOf.set(id, ref.nonce);
  }
  const { rows } = await sql<{ id: string | null; nonce: number | null }>`
    select provider_id as id, null::bigint as nonce from provider_message
    where connection_id = ${connectionId} and provider_id = any(${ids})
    union all select message_id, null from outbox where message_id = any(${ids}) and connection_id = ${connectionId}
    union all select null, nonce from campaign
    where nonce = any(${[...nonceOf.values()]}::bigint[]) and connection_id = ${connectionId}`.execute(db);
  const own = new Set(rows.flatMap((row) => row.id ?? []));
  const nonces = new Set(rows.flatMap((row) => row.nonce ?? []));
  for (const [id, nonce] of nonceOf) if (nonces.has(nonce)) own.add(id);
  return own;
}

/** `part`: which of a campaign's messages. */
export type SentAs = { to: string } & (
  | { outboxId: number }
  | { campaignId: number; seq: number; part: number }
);

export async function findSentAs(
  db: Db,
  messageKey: Uint8Array,
  connectionId: number,
  ids: readonly string[],
): Promise<Map<string, SentAs>> {
  const decoded = ids.flatMap((id) => {
    const ref = decodeMessageId(messageKey, id);
    return ref ? [{ id, nonce: ref.nonce, seq: ref.seq, part: ref.part }] : [];
  });
  const { rows } = await sql<{
    id: string;
    outboxId: number | null;
    campaignId: number | null;
    seq: number;
    part: number;
    to: string | null;
  }>`with made as (
      select provider_id as id, outbox_id, campaign_id, seq, part from provider_message
      where connection_id = ${connectionId} and provider_id = any(${[...ids]})
      union all select message_id, id, null, null, 0 from outbox
      where message_id = any(${[...ids]}) and connection_id = ${connectionId}
      union all select t.id, null, c.id, t.seq, t.part
      from jsonb_to_recordset(${JSON.stringify(decoded)}::jsonb) as t(id text, nonce bigint, seq int, part int) join campaign c on c.nonce = t.nonce
      where c.connection_id = ${connectionId})
    select made.id, made.outbox_id as "outboxId", made.campaign_id as "campaignId", made.seq, made.part,
      coalesce(o.phone::text, o.jid, d.phone::text) as "to"
    from made left join outbox o on o.id = made.outbox_id
      left join delivery d on d.campaign_id = made.campaign_id and d.seq = made.seq`.execute(db);
  const found = new Map<string, SentAs>();
  for (const { id, outboxId, campaignId, seq, part, to } of rows) {
    if (to === null) continue;
    if (outboxId !== null) found.set(id, { to, outboxId });
    else if (campaignId !== null) found.set(id, { to, campaignId, seq, part });
  }
  return found;
}

/**
 * Ids sent by our programs over `twins`, other connections of the same number: WhatsApp reports each message to
 * every device. Chat messages stay a person's.
 */
export async function findTwinIds(
  db: Db,
  messageKey: Uint8Array,
  twins: readonly number[],
  ids: readonly string[],
): Promise<Set<string>> {
  if (ids.length === 0 || twins.length === 0) return new Set();
  const own = new Set<string>();
  for (const twin of twins) for (const id of await findOwnIds(db, messageKey, twin, ids)) own.add(id);
  const typed = await sql<{ id: string }>`
    select message_id as id from outbox
    where message_id = any(${ids}) and connection_id = any(${[...twins]}::bigint[]) and origin = 'chat'
    union all select p.provider_id from provider_message p join outbox o on o.id = p.outbox_id
    where p.connection_id = any(${[...twins]}::bigint[]) and p.provider_id = any(${ids}) and o.origin = 'chat'`.execute(
    db,
  );
  for (const { id } of typed.rows) own.delete(id);
  return own;
}

/** SQL: a gateway gave this id to a message of ours. */
export const isOurs = (
  connection: RawBuilder<unknown>,
  providerId: RawBuilder<unknown>,
) => sql<boolean>`exists (
  select 1 from provider_message p where p.connection_id = ${connection} and p.provider_id = ${providerId})`;

export type Echo = { phone: string | null; jid: string | null; lid: string | null; text: string };

/**
 * Almost certainly ours although the id is unknown: the same text is in flight to the same person. A gateway
 * reports messages before it answers, and cancelled ones in flight still leave.
 */
export async function findOwnOutgoing<E extends Echo>(
  db: Db,
  connectionId: number,
  echoes: readonly E[],
): Promise<Set<E>> {
  if (echoes.length === 0) return new Set();
  const phones = echoes.flatMap(({ phone }) => phone ?? []);
  const addresses = echoes.flatMap(({ jid, lid }) => [jid ?? [], lid ?? []].flat());
  const { rows } = await sql<{
    to: string;
    text: string;
    name: string | null;
    fallback: string;
    version: number;
    vars: FieldTexts | null;
  }>`
    select d.phone::text as "to", ${OUTGOING_TEXT} as text, d.name, c.name_fallback as fallback, c.text_version as version, d.vars
    from campaign c join delivery d on d.campaign_id = c.id and d.phone = any(${phones}::bigint[])
    where c.connection_id = ${connectionId}
      and (c.status in ('sending', 'paused') or c.status = 'cancelled' and c.ended_at > now() - interval '1 hour')
      and d.status in (${DELIVERY.sending}, ${DELIVERY.waiting})
    union all
    -- Messages after the first have no text; a document is reported under its name.
    select d.phone::text, coalesce(${fileReads.nameOf(sql`c.account_id`, sql`further.attachment_id`)}, ''), null, '', 0, null
    from campaign c join delivery d on d.campaign_id = c.id and d.phone = any(${phones}::bigint[])
      join campaign_part further on further.campaign_id = c.id
    where c.connection_id = ${connectionId} and c.parts > 1
      and (c.status in ('sending', 'paused') or c.status = 'cancelled' and c.ended_at > now() - interval '1 hour')
      and d.status in (${DELIVERY.sending}, ${DELIVERY.waiting})
    union all
    select coalesce(o.phone::text, o.jid), o.text, null, '', 0, null from outbox o
    where o.connection_id = ${connectionId} and o.status in (0, 1, 2) and o.status <> ${DELIVERY.pending}
      and (o.phone = any(${phones}::bigint[]) or o.jid = any(${addresses}))`.execute(db);
  const under = new Set(
    rows.map(({ to, text, name, fallback, version, vars }) =>
      name === null ? `${to} ${text}` : `${to} ${renderMessage(text, name, fallback, version, vars)}`,
    ),
  );
  return new Set(
    echoes.filter(({ phone, jid, lid, text }) =>
      [phone, jid, lid].some((name) => under.has(`${name} ${text}`)),
    ),
  );
}
