import { sql } from "kysely";
import type { Db } from "../../db/client.ts";
import type { Receipt } from "../../transports/transport.ts";
import { WHY_LEFT } from "../ledger/left-out.ts";
import type { LeftOut } from "../ledger/signals.ts";

/**
 * Hears under which hidden addresses people got messages over a connection, or were looked up for it, once it is noted whose they are:
 * they may have written under them before. Safe to repeat. True: some had.
 */
export type HiddenTold = (connectionId: number, lids: readonly string[]) => Promise<boolean>;

/** What only whoever got a message can have brought about. */
const THEIRS: readonly Receipt["status"][] = ["delivered", "read"];

/**
 * Notes under which hidden address somebody got a message that went to their number. A gateway that is asked for a number tells none, and
 * what they answer may come under it alone: a word of leaving would be nobody's. It counts for the account alone, as all that its gateways
 * say; an address that another number has is left there. Answers the hidden addresses that were told.
 */
export async function learnHidden(
  db: Db,
  connectionId: number,
  receipts: readonly Receipt[],
): Promise<string[]> {
  const told = receipts.filter(({ lid, status }) => lid !== undefined && THEIRS.includes(status));
  if (told.length === 0) return [];
  // Taken in one order, as whoever else changes several.
  await sql`with told as (
      select distinct on (t.lid) t.lid, p.campaign_id, p.seq, p.outbox_id
      from unnest(${told.map((one) => one.messageId)}::text[], ${told.map((one) => one.lid)}::text[]) as t(id, lid)
        join provider_message p on p.connection_id = ${connectionId} and p.provider_id = t.id
      order by t.lid, p.provider_id),
    theirs as (
      select a.account_id, a.phone, told.lid from told
        left join delivery d on d.campaign_id = told.campaign_id and d.seq = told.seq
        left join outbox o on o.id = told.outbox_id
        join connection c on c.id = ${connectionId}
        join gateway_address a on a.account_id = c.account_id and a.phone = coalesce(d.phone, o.phone)
      where a.jid is not null and a.lid is distinct from told.lid and not exists (
        select from gateway_address other where other.account_id = c.account_id and other.lid = told.lid)
      order by a.phone for update of a)
    update gateway_address a set lid = t.lid from theirs t where a.account_id = t.account_id and a.phone = t.phone`.execute(
    db,
  );
  return [...new Set(told.flatMap(({ lid }) => lid ?? []))];
}

/** Of numbers that are known to have these hidden addresses: those that campaigns leave out for what was said under them. */
export async function leftHidden(
  { db, hidden, connectionId }: { db: Db; hidden: HiddenTold; connectionId: number },
  known: readonly { phone: string; lid: string }[],
): Promise<ReadonlyMap<string, LeftOut>> {
  const lids = known.map(({ lid }) => lid);
  if (lids.length === 0 || !(await hidden(connectionId, lids))) return new Map();
  const phones = known.map(({ phone }) => phone);
  const { rows } = await sql<{
    phone: string;
    why: LeftOut;
  }>`select o.phone::text as phone, ${WHY_LEFT} as why
    from connection c join opt_out o on o.account_id = c.account_id
    where c.id = ${connectionId} and o.phone = any(${phones}::bigint[])`.execute(db);
  return new Map(rows.map(({ phone, why }) => [phone, why]));
}
