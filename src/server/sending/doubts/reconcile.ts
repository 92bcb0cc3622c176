import { sql } from "kysely";
import { DELIVERY } from "../../../domain/delivery.ts";
import type { Db } from "../../db/client.ts";
import { executePrepared } from "../../db/prepared.ts";
import type { HiddenListener } from "../addresses/hidden-addresses.ts";
import { isDue } from "../ledger/due.ts";
import { applyMoves, settle } from "../ledger/settle.ts";
import { OUTBOX_CHANNEL } from "../ledger/signals.ts";
import { type MessageOwner, settleKnown } from "../receipts/provider-messages.ts";
import type { Changed } from "../receipts/provider-receipts.ts";
import { joinReceipts } from "../receipts/receipt-inbox.ts";
import { DOUBTFUL, findAttempts, findDoubts, LOOKED_FOR, type SentUnknown } from "./doubts.ts";
import { matchOutgoing, type UnmatchedOutgoing } from "./match-outgoing.ts";
import { unmatchedOutgoing } from "./outgoing-messages.ts";

/**
 * Settles a gateway's doubts by stored ids, then by reported messages (`matchEchoes`); expired ones go to a
 * human. Concurrent calls are safe; returns changed campaigns.
 */
export async function reconcileConnection(
  db: Db,
  connectionId: number,
  hidden?: HiddenListener,
): Promise<Changed[]> {
  const changed = await settleKnown(db, connectionId);
  for (const { attempt, echo } of await findPairs(db, connectionId)) {
    const { owner, accountId } = attempt;
    await settleOutgoing(db, connectionId, owner, echo);
    if ("campaignId" in owner) changed.push({ accountId, campaignId: owner.campaignId });
    changed.push(...(await joinReceipts(db, connectionId, [echo.providerId], hidden)));
  }
  changed.push(...(await expireDoubts(db, connectionId)));
  return changed;
}

/**
 * One snapshot: otherwise a message could look in flight and known at once, and its webhook message be taken
 * for the doubt's.
 */
function findPairs(
  db: Db,
  connectionId: number,
): Promise<{ attempt: SentUnknown; echo: UnmatchedOutgoing }[]> {
  return db
    .transaction()
    .setIsolationLevel("repeatable read")
    .setAccessMode("read only")
    .execute(async (tx) => {
      const doubts = await findDoubts(tx, connectionId);
      if (doubts.length === 0) return [];
      const contents = [...new Set(doubts.map((one) => one.content))];
      const echoes = await unmatchedOutgoing(tx, connectionId, contents);
      const reported = new Set(echoes.flatMap((one) => one.names.map((name) => `${one.content} ${name}`)));
      const heard = doubts.filter(({ names, content }) =>
        names.some((name) => reported.has(`${content} ${name}`)),
      );
      if (heard.length === 0) return [];
      return matchOutgoing(await findAttempts(tx, connectionId, heard), echoes);
    });
}

/**
 * Assigns the id and makes a doubt `accepted`; after a human's decision only the id, for receipts. Lock
 * order: webhook message, id (as `storeAccepted`), campaign.
 */
async function settleOutgoing(
  db: Db,
  connectionId: number,
  owner: MessageOwner,
  { providerId, at: ms }: UnmatchedOutgoing,
): Promise<void> {
  const at = new Date(ms);
  const { campaignId, seq, generation, part, outboxId } =
    "outboxId" in owner
      ? { campaignId: null, seq: null, generation: null, part: 0, outboxId: owner.outboxId }
      : { part: 0, outboxId: null, ...owner };
  await db.transaction().execute(async (tx) => {
    await sql`select 1 from outgoing_webhook_message where connection_id = ${connectionId} and provider_id = ${providerId} for update`.execute(
      tx,
    );
    const { rows } = await sql`insert into provider_message
        (connection_id, provider_id, campaign_id, seq, resend_number, part, outbox_id, created_at)
      values (${connectionId}, ${providerId}, ${campaignId}, ${seq}, ${generation}, ${part}, ${outboxId}, ${at})
      on conflict do nothing returning 1`.execute(tx);
    if (rows.length === 0) return;
    await sql`delete from outgoing_webhook_message where connection_id = ${connectionId} and provider_id = ${providerId}`.execute(
      tx,
    );
    if (outboxId !== null) await settleSingle(tx, outboxId, at);
    else if (campaignId !== null) await settlePerson(tx, { campaignId, seq, generation, part }, at);
  });
}

const IN_DOUBT = sql`ambiguous and status in ${DOUBTFUL}`;

type Of = { campaignId: number; seq: number; generation: number; part: number };

/** Only the doubt of this attempt: a human may have decided since. */
async function settlePerson(tx: Db, { campaignId, seq, generation, part }: Of, at: Date): Promise<void> {
  await sql`select 1 from campaign where id = ${campaignId} for no key update`.execute(tx);
  const { rows } = await sql`select from delivery
    where campaign_id = ${campaignId} and seq = ${seq} and resend_number = ${generation} and ${IN_DOUBT}`.execute(
    tx,
  );
  if (rows.length > 0)
    await settle(tx, campaignId, [{ seq, part, generation, to: DELIVERY.accepted, at }], {
      from: [DELIVERY.waiting, DELIVERY.uncertain],
    });
}

async function settleSingle(tx: Db, id: number, at: Date): Promise<void> {
  await sql`with done as (
      update outbox set status = ${DELIVERY.accepted}, at = ${at}, error = null where id = ${id} and ${IN_DOUBT} returning id)
    select pg_notify(${OUTBOX_CHANNEL}, id::text) from done`.execute(tx);
}

/** Expired doubts go to a human with a reason; later evidence still settles them. */
async function expireDoubts(db: Db, connectionId: number): Promise<Changed[]> {
  const over = sql`ambiguous and ${sql.raw(isDue("not_before"))}`;
  const { rows } = await sql<Changed>`select account_id as "accountId", id as "campaignId" from campaign c
    where connection_id = ${connectionId} and waiting_count > 0
      and exists (select 1 from delivery d where d.campaign_id = c.id and d.needs_attention = ${DELIVERY.waiting} and ${over})
    order by id`.execute(db);
  for (const { campaignId } of rows) {
    await db.transaction().execute(async (tx) => {
      await sql`select 1 from campaign where id = ${campaignId} for no key update`.execute(tx);
      await applyMoves(
        tx,
        campaignId,
        sql`moved as (
          update delivery d set status = ${DELIVERY.uncertain}, error = coalesce(d.error, 'interrupted')
          where d.campaign_id = ${campaignId} and d.needs_attention = ${DELIVERY.waiting} and ${over}
          returning ${DELIVERY.waiting}::smallint as was, d.status as now, d.at)`,
      );
    });
  }
  await sql`with done as (
      update outbox set status = ${DELIVERY.uncertain}, error = coalesce(error, 'interrupted')
      where connection_id = ${connectionId} and status = ${DELIVERY.waiting} and ${over} returning id)
    select pg_notify(${OUTBOX_CHANNEL}, id::text) from done`.execute(db);
  return rows;
}

const ANY_DOUBT = sql`select where exists (select from connection k where kind = 'instance' and (
    exists (select from campaign c where c.connection_id = k.id and (c.waiting_count > 0 or c.uncertain_count > 0))
    or exists (select from outbox d where d.connection_id = k.id and d.status in ${DOUBTFUL} and d.ambiguous)))`;

/** Instances with doubts to check: recent ones of `owned`, expired ones of others. */
export async function connectionsInDoubt(db: Db, owned: readonly number[]): Promise<number[]> {
  // Prepared: planning takes longer than this frequent, mostly empty query.
  if ((await executePrepared(ANY_DOUBT, db)).length === 0) return [];
  const due = (connection: string) => sql`(
    d.status = ${DELIVERY.waiting} and ${sql.raw(isDue("d.not_before"))}
    or ${sql.raw(connection)} = any(${[...owned]}::bigint[]) and d.at > ${LOOKED_FOR})`;
  const { rows } = await sql<{ id: number }>`select id from connection k where kind = 'instance' and (
      exists (select 1 from campaign c
          join delivery d on d.campaign_id = c.id and d.needs_attention in ${DOUBTFUL} and d.ambiguous
        where c.connection_id = k.id and (c.waiting_count > 0 or c.uncertain_count > 0) and ${due("c.connection_id")})
      or exists (select 1 from outbox d
        where d.connection_id = k.id and d.status in ${DOUBTFUL} and d.ambiguous and ${due("d.connection_id")}))
    order by id`.execute(db);
  return rows.map((row) => row.id);
}
