import { sql } from "kysely";
import { DELIVERY } from "../../../domain/delivery.ts";
import type { Database, Db, Prepared } from "../../db/client.ts";
import type { Receipt } from "../../transports/transport.ts";
import type { HiddenListener } from "../addresses/hidden-addresses.ts";
import { type Move, settle, UNTOLD } from "../ledger/settle.ts";
import { firstLeft } from "../ledger/units.ts";
import { moveOutbox } from "../outbox/outbox-settle.ts";
import { applyReceipts, type Changed, storeReceipts } from "./provider-receipts.ts";

/** `part`: which of several messages of a campaign; absent: the only one. */
export type MessageOwner =
  | { campaignId: number; seq: number; generation: number; part?: number }
  | { outboxId: number };

export type Accepted = { owner: MessageOwner; providerId: string; at: number };

/** Locks the webhook message before the id, as in reconcile.ts: otherwise a deadlock. */
const STORE = `with input as (
    select * from unnest($2::text[], $3::bigint[], $4::int[], $5::smallint[], $6::bigint[], $7::float8[], $8::smallint[])
      as t(provider_id, campaign_id, seq, resend_number, outbox_id, at, part)
    where exists (select 1 from connection where id = $1)),
  held as materialized (
    select e.provider_id from outgoing_webhook_message e join input using (provider_id) where e.connection_id = $1 order by e.provider_id for update of e),
  kept as (
    insert into provider_message (connection_id, provider_id, campaign_id, seq, resend_number, outbox_id, created_at, part)
    select $1, provider_id, campaign_id, seq, resend_number, outbox_id, to_timestamp(at), part from input
    where (select count(*) from held) >= 0
    on conflict do nothing),
  heard as (delete from outgoing_webhook_message e using held where e.connection_id = $1 and e.provider_id = held.provider_id)
  select distinct r.provider_id as id from receipt_inbox r join input on r.connection_id = $1 and r.provider_id = input.provider_id`;

/**
 * Stores gateway ids, so that receipts find their messages and a crash loses nothing. Idempotent: known ids
 * keep their owner. Returns ids with receipts.
 */
export async function storeAccepted(
  prepared: Prepared,
  connectionId: number,
  accepted: readonly Accepted[],
): Promise<string[]> {
  const of = (pick: "campaignId" | "seq" | "generation") =>
    accepted.map(({ owner }) => ("outboxId" in owner ? null : owner[pick]));
  const { rows } = await prepared<{ id: string }>("store_accepted", STORE, [
    connectionId,
    accepted.map((one) => one.providerId),
    of("campaignId"),
    of("seq"),
    of("generation"),
    accepted.map(({ owner }) => ("outboxId" in owner ? owner.outboxId : null)),
    accepted.map((one) => one.at / 1000),
    accepted.map(({ owner }) => ("outboxId" in owner ? 0 : (owner.part ?? 0))),
  ]);
  return rows.map((row) => row.id);
}

export async function settleAccepted(
  database: Pick<Database, "db" | "prepared">,
  connectionId: number,
  accepted: readonly Accepted[],
): Promise<void> {
  await storeAccepted(database.prepared, connectionId, accepted);
  const byCampaign = new Map<number, Move[]>();
  for (const { owner, at: ms } of accepted) {
    const at = new Date(ms);
    if ("outboxId" in owner)
      await moveOutbox(database.db, { id: owner.outboxId, to: DELIVERY.accepted, at, from: UNTOLD });
    else {
      const moves = byCampaign.get(owner.campaignId) ?? [];
      const { seq, generation, part = 0 } = owner;
      moves.push({ seq, part, generation, to: DELIVERY.accepted, at });
      byCampaign.set(owner.campaignId, moves);
    }
  }
  for (const [campaignId, moves] of byCampaign)
    await database.db.transaction().execute((tx) => settle(tx, campaignId, moves, { from: UNTOLD }));
}

/**
 * Applies receipts by gateway id, idempotent in any order; unmatched ones are kept (receipt-inbox.ts). An
 * `error` moves only `accepted` or `sent` rows. Returns campaigns to refresh.
 */
export async function settleProviderReceipts(
  db: Db,
  connectionId: number,
  receipts: readonly Receipt[],
  hidden?: HiddenListener,
): Promise<Changed[]> {
  const { changed, left } = await applyReceipts(db, connectionId, receipts, hidden);
  await storeReceipts(db, connectionId, left);
  return changed;
}

/** Doubts with a known gateway id become accepted. Returns changed campaigns. */
export async function settleKnown(db: Db, connectionId: number): Promise<Changed[]> {
  const { rows } = await sql<{
    campaignId: number;
    accountId: string;
    seq: number;
    part: number;
    generation: number;
    at: Date;
  }>`select c.id as "campaignId", c.account_id as "accountId", d.seq, p.part, p.resend_number as generation, p.created_at as at
    from campaign c
      join delivery d on d.campaign_id = c.id and d.needs_attention in (${DELIVERY.waiting}, ${DELIVERY.uncertain}) and d.ambiguous
      join provider_message p on p.campaign_id = d.campaign_id and p.seq = d.seq and p.resend_number = d.resend_number
        and p.part = ${firstLeft(sql`c.parts`, "d")}
    where c.connection_id = ${connectionId} and (c.waiting_count > 0 or c.uncertain_count > 0)
    order by c.id`.execute(db);
  const found = new Map<number, { accountId: string; moves: Move[] }>();
  for (const { campaignId, accountId, seq, part, generation, at } of rows) {
    const one = found.get(campaignId) ?? { accountId, moves: [] };
    one.moves.push({ seq, part, generation, to: DELIVERY.accepted, at });
    found.set(campaignId, one);
  }
  for (const [campaignId, { moves }] of found)
    await inTransaction(db, (tx) =>
      settle(tx, campaignId, moves, { from: [DELIVERY.waiting, DELIVERY.uncertain] }),
    );
  const single = await sql<{ id: number; at: Date }>`select o.id, p.created_at as at
    from provider_message p join outbox o on o.id = p.outbox_id
    where o.connection_id = ${connectionId} and o.ambiguous and o.status in (${DELIVERY.waiting}, ${DELIVERY.uncertain})`.execute(
    db,
  );
  for (const { id, at } of single.rows) await moveOutbox(db, { id, to: DELIVERY.accepted, at });
  return [...found].map(([campaignId, { accountId }]) => ({ accountId, campaignId }));
}

const inTransaction = (db: Db, work: (tx: Db) => Promise<unknown>) =>
  db.isTransaction ? work(db) : db.transaction().execute(work);

/**
 * SQL: ids sent over a gateway recently, but long enough ago to be stored there. Recent campaigns and direct
 * messages first, as ids may number a million.
 */
export const recentIds = (connectionId: number) => sql<{
  id: string;
}>`select m.provider_id as id from provider_message m
  where m.connection_id = ${connectionId}
    and m.created_at between now() - interval '15 minutes' and now() - interval '1 minute'
    and (exists (select from campaign c where c.connection_id = ${connectionId}
        and c.claimed_at > now() - interval '20 minutes')
      or exists (select from outbox o where o.connection_id = ${connectionId}
        and o.created_at > now() - interval '20 minutes'))`;
