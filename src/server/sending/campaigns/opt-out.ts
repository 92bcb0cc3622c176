import { type RawBuilder, sql } from "kysely";
import { DELIVERY } from "../../../domain/delivery.ts";
import type { Db } from "../../db/client.ts";
import { inTransaction, type Owner } from "../../db/owner.ts";
import { isOptOutOf, WHY_LEFT } from "../ledger/left-out.ts";
import { type Move, settle } from "../ledger/settle.ts";
import { dropFromLanes, type LeftOut, wakeLane } from "../ledger/signals.ts";
import { mayHaveIt } from "../ledger/turn.ts";

export type OptedOut = {
  phone: string;
  /** `asked`: the text sounds like an opt-out; left out until a human decides. */
  source: "reply" | "manual" | "asked";
  connectionId: number | null;
  text: string | null;
};

/**
 * Opt-outs (`leave`) and freezes or manual resends (`freeze`) exclude each other until the transaction ends.
 * Take it late, since messages wait, but before locking campaigns an opt-out may need.
 */
export async function holdOptOuts(tx: Db, accountId: string, who: "leave" | "freeze"): Promise<void> {
  const lock = sql.raw(who === "leave" ? "pg_advisory_xact_lock" : "pg_advisory_xact_lock_shared");
  await sql`select ${lock}(hashtextextended('opt_out ' || ${accountId}::text, 0))`.execute(tx);
}

/**
 * Opts a person out of waiting campaigns; messages in flight finish, a device's doubts go to a human, since a
 * turn would resend them. Returns time and number of campaigns, or null if already opted out.
 */
export function optOut(owner: Owner, person: OptedOut): Promise<{ at: Date; campaigns: number } | null> {
  return enter(
    owner,
    person.phone,
    (accountId) => sql`insert into opt_out (account_id, phone, source, connection_id, text)
      values (${accountId}::uuid, ${person.phone}::bigint, ${person.source}, ${person.connectionId}, ${person.text})
      ${person.source === "reply" ? OWN_WORD_COUNTS : KEEPS}`,
  );
}

const KEEPS = sql`on conflict (account_id, phone) do nothing`;

/** A certain reply replaces a manual entry, which then cannot be undone, and a doubtful one. */
const OWN_WORD_COUNTS = sql`on conflict (account_id, phone) do update
  set source = excluded.source, connection_id = excluded.connection_id, text = excluded.text, created_at = excluded.created_at
  where opt_out.source in ('manual', 'asked')`;

/** JSON by PostgreSQL: a Date would lose microseconds. */
export type OptOutCopy = Readonly<Record<string, unknown>>;

/**
 * Allows campaigns again; old ones do not take the person back. Returns the row, or null: not opted out, or
 * again since `at` (ms).
 */
export async function optIn(owner: Owner, phone: string, at: Date | null = null): Promise<OptOutCopy | null> {
  const { rows } = await sql<{ copy: OptOutCopy }>`delete from opt_out o
    where o.account_id = ${owner.accountId}::uuid and o.phone = ${phone}::bigint
      and (${at}::timestamptz is null or o.created_at < ${at}::timestamptz + interval '2 milliseconds')
    returning to_jsonb(o) as copy`.execute(owner.db);
  return rows[0]?.copy ?? null;
}

/**
 * Reverses an opt-out in the running transaction. A doubtful one (`asked`) also returns to its running
 * campaigns. Returns the row for `restoreOptOut`, or null as `optIn`.
 */
export async function withdrawOptOut(
  tx: Owner,
  phone: string,
  at: Date | null = null,
): Promise<OptOutCopy | null> {
  await holdOptOuts(tx.db, tx.accountId, "leave");
  const copy = await optIn(tx, phone, at);
  if (copy?.source === "asked") await takeUpAgain(tx, phone);
  return copy;
}

/** Undoes `optIn`, without a removed connection; a newer opt-out stays. */
export async function restoreOptOut(owner: Owner, copy: OptOutCopy): Promise<void> {
  const row = JSON.stringify(copy);
  await enter(
    owner,
    String(copy.phone),
    (accountId) => sql`insert into opt_out
      select r.* from jsonb_populate_record(null::opt_out, ${row}::jsonb || jsonb_build_object(
        'account_id', ${accountId}::text,
        'connection_id', (select c.id from connection c
          where c.account_id = ${accountId}::uuid and c.id = (${row}::jsonb ->> 'connection_id')::bigint for key share))) r
      on conflict (account_id, phone) do nothing`,
  );
}

async function enter(
  owner: Owner,
  phone: string,
  insert: (accountId: string) => RawBuilder<unknown>,
): Promise<{ at: Date; campaigns: number } | null> {
  const inside = async (tx: Owner) => {
    await holdOptOuts(tx.db, tx.accountId, "leave");
    const { rows } = await sql<{ at: Date; source: OptedOut["source"] }>`${insert(tx.accountId)}
      returning created_at as at, source`.execute(tx.db);
    if (!rows[0]) return null;
    const campaigns = await takeOut(tx, phone);
    await dropFromLanes(
      tx.db,
      tx.accountId,
      phone,
      rows[0].source === "asked" ? "asked_to_leave" : "opted_out",
    );
    return { at: rows[0].at, campaigns };
  };
  return inTransaction(owner, inside);
}

/**
 * Confirms a doubtful opt-out, keeping the entry. Returns its time, or null: no decision open, or another
 * entry than the one of `at` (ms).
 */
export async function confirmLeaving(
  owner: Owner,
  phone: string,
  at: Date | null = null,
): Promise<Date | null> {
  const { rows } = await sql<{ at: Date }>`update opt_out o set source = 'reply'
    where o.account_id = ${owner.accountId}::uuid and o.phone = ${phone}::bigint and o.source = 'asked'
      and (${at}::timestamptz is null or date_trunc('milliseconds', o.created_at) = ${at}::timestamptz)
    returning o.created_at as at`.execute(owner.db);
  return rows[0]?.at ?? null;
}

/**
 * A human decided that a person stays: running campaigns restore skipped, unsent places. Call in the
 * decision's transaction; returns the number of campaigns.
 */
export async function takeUpAgain(tx: Owner, phone: string): Promise<number> {
  let campaigns = 0;
  for (const id of await lockCampaigns(tx, [phone])) {
    const { rows } = await sql<{ seq: number; at: Date; connectionId: number | null }>`
      select d.seq, now() as at, c.connection_id as "connectionId"
      from delivery d join campaign c on c.id = d.campaign_id
      where d.campaign_id = ${id} and d.phone = ${phone}::bigint and d.status = ${DELIVERY.skipped} and d.error = 'asked_to_leave'`.execute(
      tx.db,
    );
    for (const { seq, at, connectionId } of rows) {
      campaigns += await settle(tx.db, id, [{ seq, to: DELIVERY.waiting, at }], { from: [DELIVERY.skipped] });
      if (connectionId !== null) await wakeLane(tx.db, connectionId);
    }
  }
  return campaigns;
}

/**
 * Locks all people's campaigns in one order before several opt out in one transaction; otherwise it could
 * deadlock.
 */
export async function holdCampaignsOf(tx: Owner, phones: readonly string[]): Promise<void> {
  await holdOptOuts(tx.db, tx.accountId, "leave");
  await lockCampaigns(tx, phones);
}

async function lockCampaigns(tx: Owner, phones: readonly string[]): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`select id from campaign
    where account_id = ${tx.accountId}::uuid and status in ('sending', 'paused')
      and exists (select 1 from delivery d where d.campaign_id = campaign.id and d.phone = any(${[...phones]}::bigint[]))
    order by id for no key update`.execute(tx.db);
  return rows.map(({ id }) => id);
}

async function takeOut(tx: Owner, phone: string): Promise<number> {
  let touched = 0;
  for (const id of await lockCampaigns(tx, [phone])) if (await leaveCampaign(tx.db, id, phone)) touched++;
  return touched;
}

const IS_THEIRS = isOptOutOf(sql.ref("c.account_id"), sql.ref("d.phone"));

async function leaveCampaign(tx: Db, campaignId: number, phone: string): Promise<boolean> {
  const { rows } = await sql<{
    seq: number;
    status: number;
    ambiguous: boolean;
    generation: number;
    kind: string | null;
    now: Date;
    why: LeftOut;
  }>`
    select d.seq, d.status, d.ambiguous, d.resend_number as generation, k.kind, now() as now, ${WHY_LEFT} as why
    from delivery d join campaign c on c.id = d.campaign_id left join connection k on k.id = c.connection_id
      join opt_out o on ${IS_THEIRS}
    where d.campaign_id = ${campaignId} and d.phone = ${phone}::bigint`.execute(tx);
  const person = rows[0];
  if (!person) return false;
  const { seq, status, now: at } = person;
  const move = leaving(person);
  if (move !== null)
    await settle(tx, campaignId, [{ seq, to: move, at, error: person.why }], {
      from: [status as Move["to"]],
    });
  // In flight: may return, and is then skipped.
  return move !== null || status === DELIVERY.sending;
}

/** Null: stays, since nothing more is sent or it is in flight. */
function leaving(person: {
  status: number;
  ambiguous: boolean;
  generation: number;
  kind: string | null;
}): Move["to"] | null {
  const { status, ambiguous, kind } = person;
  if (status === DELIVERY.pending || (status === DELIVERY.waiting && !mayHaveIt(person)))
    return DELIVERY.skipped;
  // A gateway's doubts are never resent: they wait to be found.
  if (status === DELIVERY.waiting && !(ambiguous && kind === "instance")) return DELIVERY.uncertain;
  return null;
}

/**
 * Settles people who opted out while in flight and returned since: no turn claims them. Returns changed
 * campaigns.
 */
export async function sweepOptedOut(
  db: Db,
  accountId?: string,
): Promise<{ accountId: string; campaignId: number }[]> {
  const which = accountId === undefined ? sql`` : sql`and c.account_id = ${accountId}::uuid`;
  const { rows } = await sql<{ accountId: string; campaignId: number; phone: string }>`
    select c.account_id as "accountId", c.id as "campaignId", d.phone::text as phone
    from campaign c join delivery d on d.campaign_id = c.id and d.needs_attention = ${DELIVERY.waiting}
      join opt_out o on ${IS_THEIRS}
      left join connection k on k.id = c.connection_id
    where c.status in ('sending', 'paused') and c.waiting_count > 0 ${which}
      and not (d.ambiguous and k.kind is not distinct from 'instance')
    order by c.id limit 500`.execute(db);
  for (const { campaignId, phone } of rows) {
    await db.transaction().execute(async (tx) => {
      await sql`select 1 from campaign where id = ${campaignId} for no key update`.execute(tx);
      await leaveCampaign(tx, campaignId, phone);
    });
  }
  return rows;
}
