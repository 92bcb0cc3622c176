import { sql } from "kysely";
import { DELIVERY } from "../../domain/delivery.ts";
import { decodeMessageId } from "../../domain/message-id.ts";
import { renderMessage } from "../../domain/message-text.ts";
import type { Db } from "../db/client.ts";

/**
 * Of these ids of WhatsApp, those under which we ourselves sent something over this connection: as a gateway named it, of the outbox, or
 * of a campaign.
 */
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

/** A message from one of our numbers that a gateway told of, under an id that we do not know (yet). */
export type Echo = { phone: string | null; jid: string | null; lid: string | null; text: string };

/**
 * Of these messages told back by a gateway, those that are as good as certainly our own, although their id is not known yet: the very
 * text is on its way to the very person over this connection. A gateway tells of a message before it answers to whoever sent it, and what
 * is on the wire when its campaign is cancelled still leaves. The states of the outbox are said as its index says them.
 */
export async function findOwnEchoes<E extends Echo>(
  db: Db,
  connectionId: number,
  echoes: readonly E[],
): Promise<Set<E>> {
  if (echoes.length === 0) return new Set();
  const phones = echoes.flatMap(({ phone }) => phone ?? []);
  const addresses = echoes.flatMap(({ jid, lid }) => [jid ?? [], lid ?? []].flat());
  const { rows } = await sql<{ to: string; text: string; name: string | null; fallback: string | null }>`
    select d.phone::text as "to", c.text, d.name, c.name_fallback as fallback
    from campaign c join delivery d on d.campaign_id = c.id and d.phone = any(${phones}::bigint[])
    where c.connection_id = ${connectionId}
      and (c.life in ('sending', 'paused') or c.life = 'cancelled' and c.ended_at > now() - interval '1 hour')
      and d.status in (${DELIVERY.sending}, ${DELIVERY.waiting})
    union all
    select coalesce(o.phone::text, o.jid), o.text, null, null from outbox o
    where o.connection_id = ${connectionId} and o.status in (0, 1, 2) and o.status <> ${DELIVERY.pending}
      and (o.phone = any(${phones}::bigint[]) or o.jid = any(${addresses}))`.execute(db);
  const under = new Set(
    rows.map(({ to, text, name, fallback }) =>
      name === null ? `${to} ${text}` : `${to} ${renderMessage(text, name, fallback ?? "")}`,
    ),
  );
  return new Set(
    echoes.filter(({ phone, jid, lid, text }) =>
      [phone, jid, lid].some((name) => under.has(`${name} ${text}`)),
    ),
  );
}
