import { sql } from "kysely";
import type { Db } from "../../db/client.ts";
import type { Receipt } from "../../transports/transport.ts";
import { isOptOutOf, WHY_LEFT } from "../ledger/left-out.ts";
import type { LeftOut } from "../ledger/signals.ts";

/**
 * Called once hidden addresses are stored with their owners, who may have written under them before.
 * Idempotent; true: some had.
 */
export type HiddenListener = (connectionId: number, lids: readonly string[]) => Promise<boolean>;

/** Only the recipient can cause these. */
const THEIRS: readonly Receipt["status"][] = ["delivered", "read"];

/**
 * For this account only. A gateway's look-up returns no hidden addresses, but opt-outs may arrive under them
 * alone; skips an address that another number has.
 */
export async function learnHidden(
  db: Db,
  connectionId: number,
  receipts: readonly Receipt[],
): Promise<string[]> {
  const reported = receipts.filter(({ lid, status }) => lid !== undefined && THEIRS.includes(status));
  if (reported.length === 0) return [];
  // Fixed order, as in every multi-row update.
  await sql`with reported as (
      select distinct on (t.lid) t.lid, p.campaign_id, p.seq, p.outbox_id
      from unnest(${reported.map((one) => one.messageId)}::text[], ${reported.map((one) => one.lid)}::text[]) as t(id, lid)
        join provider_message p on p.connection_id = ${connectionId} and p.provider_id = t.id
      order by t.lid, p.provider_id),
    theirs as (
      select a.account_id, a.phone, reported.lid from reported
        left join delivery d on d.campaign_id = reported.campaign_id and d.seq = reported.seq
        left join outbox o on o.id = reported.outbox_id
        join connection c on c.id = ${connectionId}
        join gateway_address a on a.account_id = c.account_id and a.phone = coalesce(d.phone, o.phone)
      where a.jid is not null and a.lid is distinct from reported.lid and not exists (
        select from gateway_address other where other.account_id = c.account_id and other.lid = reported.lid)
      order by a.phone for update of a)
    update gateway_address a set lid = t.lid from theirs t where a.account_id = t.account_id and a.phone = t.phone`.execute(
    db,
  );
  return [...new Set(reported.flatMap(({ lid }) => lid ?? []))];
}

export async function leftHidden(
  { db, hidden, connectionId }: { db: Db; hidden: HiddenListener; connectionId: number },
  known: readonly { phone: string; lid: string }[],
): Promise<ReadonlyMap<string, LeftOut>> {
  const lids = known.map(({ lid }) => lid);
  if (lids.length === 0 || !(await hidden(connectionId, lids))) return new Map();
  const phones = known.map(({ phone }) => phone);
  const { rows } = await sql<{
    phone: string;
    why: LeftOut;
  }>`select o.phone::text as phone, ${WHY_LEFT} as why
    from connection c cross join unnest(${phones}::bigint[]) as p(phone)
      join opt_out o on ${isOptOutOf(sql.ref("c.account_id"), sql.ref("p.phone"))}
    where c.id = ${connectionId}`.execute(db);
  return new Map(rows.map(({ phone, why }) => [phone, why]));
}
