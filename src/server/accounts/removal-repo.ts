import { type RawBuilder, sql } from "kysely";
import type { Db } from "../db/client.ts";
import type { Owner } from "../db/owner.ts";
import { awaitStarts } from "../sending/campaigns/campaign-status.ts";
import { wakeLane } from "../sending/ledger/signals.ts";
import { deleteLinksOf } from "./link-repo.ts";

/** From this commit on nobody gets into the account: no password, no key, no session; and no assistant answers in its name. */
export async function closeAccount(owner: Owner, now: Date): Promise<void> {
  // A suspended account's numbers get an owner again, who logs them out.
  await sql`update account set removed_at = ${now}, suspended_at = null where id = ${owner.accountId}`.execute(
    owner.db,
  );
  for (const table of ["credential", "api_key", "assistant_link"])
    await sql`delete from ${sql.table(table)} where account_id = ${owner.accountId}`.execute(owner.db);
  await deleteLinksOf(owner, "reset");
  await deleteLinksOf(owner, "confirmation");
}

/** Accounts that their owners deleted and of which something is left, the oldest first. */
export async function findRemoved(db: Db): Promise<{ id: string; removedAt: Date }[]> {
  const { rows } = await sql<{ id: string; removedAt: Date }>`
    select id, removed_at as "removedAt" from account where removed_at is not null order by removed_at`.execute(
    db,
  );
  return rows;
}

/**
 * Whoever deleted an account may sign up anew with its e-mail. Not in the commit that closes it: this waits for whoever refers to the
 * row meanwhile, and an import of a million rows does so to its end.
 */
export async function forgetPerson(owner: Owner): Promise<void> {
  await sql`
    update account set name = '', company = '', email = id || '@removed.invalid'
    where id = ${owner.accountId} and removed_at is not null and email <> id || '@removed.invalid'`.execute(
    owner.db,
  );
}

/** Nobody is handed out any more, and who has somebody in hand is told. */
export async function cancelCampaigns(owner: Owner): Promise<void> {
  await awaitStarts(owner.db, { accountId: owner.accountId });
  const { rows } = await sql<{ connectionId: number | null }>`
    update campaign set status = 'cancelled', pause_reason = null, updated_at = now()
    where id in (select id from campaign
      where account_id = ${owner.accountId} and status in ('scheduled', 'starting', 'sending', 'paused')
      order by id for no key update) returning connection_id as "connectionId"`.execute(owner.db);
  for (const connectionId of new Set(rows.map((row) => row.connectionId)))
    if (connectionId !== null) await wakeLane(owner.db, connectionId);
}

export async function findConnections(owner: Owner): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select id from connection where account_id = ${owner.accountId}`.execute(owner.db);
  return rows.map(({ id }) => id);
}

type Part = { table: string; where: (account: RawBuilder<string>) => RawBuilder<unknown> };

const of = (column: string, parent: string) => (account: RawBuilder<string>) =>
  sql`${sql.ref(column)} in (select id from ${sql.table(parent)} where account_id = ${account})`;
const own = (account: RawBuilder<string>) => sql`account_id = ${account}`;

/**
 * What an account can have by the million, and what no foreign key takes along, in an order in which nothing is left behind. The rest
 * goes with the account's own row. A test holds this against every table there is.
 */
const PARTS: readonly Part[] = [
  { table: "delivery", where: of("campaign_id", "campaign") },
  { table: "campaign_alias", where: of("campaign_id", "campaign") },
  { table: "delivery_action", where: own },
  { table: "contact", where: of("list_id", "contact_list") },
  { table: "contact_import_row", where: of("import_id", "contact_import") },
  { table: "webhook_relay", where: of("connection_id", "connection") },
  { table: "provider_message", where: of("connection_id", "connection") },
  { table: "agent_answer", where: own },
  { table: "chat_message", where: own },
  { table: "outbox", where: own },
  { table: "chat", where: own },
  { table: "opt_out", where: own },
  { table: "gateway_address", where: own },
  { table: "mail", where: own },
  { table: "audit_event", where: own },
];

/** What gateways have posted and nobody has read. No foreign key takes it along, so it goes before the connections that name it. */
export async function deletePosted(owner: Owner): Promise<void> {
  const where = of("connection_id", "connection")(sql<string>`${owner.accountId}::uuid`);
  for (const table of ["webhook_event", "webhook_state"])
    await sql`delete from ${sql.table(table)} where ${where}`.execute(owner.db);
}

/**
 * Deletes up to `limit` rows of the first part that has any; answers whether there were some. Rows in another's hands are left to the next
 * look: whoever takes a connection away takes its messages along in an order of its own, and two who do that wait for each other.
 */
export async function deleteSome(owner: Owner, limit: number): Promise<boolean> {
  const account = sql<string>`${owner.accountId}::uuid`;
  for (const { table, where } of PARTS) {
    const { numAffectedRows } = await sql`
      delete from ${sql.table(table)} where ctid = any(array(
        select ctid from ${sql.table(table)} where ${where(account)} limit ${limit} for update skip locked))`.execute(
      owner.db,
    );
    if ((numAffectedRows ?? 0n) > 0n) return true;
  }
  return false;
}

/** The account's row, and with it all that refers to it; then what names it without referring to it. */
export async function deleteAccount(owner: Owner): Promise<void> {
  const { accountId } = owner;
  // Campaigns and messages refer to pictures without taking them along: they go first.
  await sql`delete from campaign where account_id = ${accountId}`.execute(owner.db);
  await sql`delete from account where id = ${accountId} and removed_at is not null`.execute(owner.db);
  await sql`delete from rate_limit where key like ${`%:${accountId}`}`.execute(owner.db);
}
