import { type RawBuilder, sql } from "kysely";
import type { Db } from "../db/client.ts";
import type { Owner } from "../db/owner.ts";
import { accountSendingOf } from "../sending/sending.ts";
import { deleteLinksOf } from "./link-repo.ts";

/** No password, key, session or assistant works after this commit. */
export async function closeAccount(owner: Owner, now: Date): Promise<void> {
  // Suspended numbers get an owner again, which logs them out.
  await sql`update account set removed_at = ${now}, suspended_at = null where id = ${owner.accountId}`.execute(
    owner.db,
  );
  for (const table of ["credential", "api_key", "assistant_link"])
    await sql`delete from ${sql.table(table)} where account_id = ${owner.accountId}`.execute(owner.db);
  await deleteLinksOf(owner, "reset");
  await deleteLinksOf(owner, "confirmation");
}

export async function findRemoved(db: Db): Promise<{ id: string; removedAt: Date }[]> {
  const { rows } = await sql<{ id: string; removedAt: Date }>`
    select id, removed_at as "removedAt" from account where removed_at is not null order by removed_at`.execute(
    db,
  );
  return rows;
}

/**
 * Frees the e-mail. Not in the closing commit: it waits for transactions that refer to the row, such as an
 * import of a million rows.
 */
export async function deletePerson(owner: Owner): Promise<void> {
  await sql`
    update account set name = '', company = '', email = id || '@removed.invalid'
    where id = ${owner.accountId} and removed_at is not null and email <> id || '@removed.invalid'`.execute(
    owner.db,
  );
}

type Part = { table: string; where: (account: RawBuilder<string>) => RawBuilder<unknown> };

const of = (column: string, parent: string) => (account: RawBuilder<string>) =>
  sql`${sql.ref(column)} in (select id from ${sql.table(parent)} where account_id = ${account})`;
const own = (account: RawBuilder<string>) => sql`account_id = ${account}`;

/** Large tables and those without a cascade, in dependency order. A test compares this with all tables. */
const PARTS: readonly Part[] = [
  { table: "delivery", where: of("campaign_id", "campaign") },
  { table: "delivery_part", where: of("campaign_id", "campaign") },
  { table: "campaign_alias", where: of("campaign_id", "campaign") },
  { table: "delivery_action", where: own },
  { table: "membership", where: of("list_id", "contact_list") },
  { table: "person", where: own },
  { table: "contact_import_row", where: of("import_id", "contact_import") },
  { table: "webhook_relay", where: of("connection_id", "connection") },
  { table: "provider_message", where: of("connection_id", "connection") },
  { table: "agent_answer", where: own },
  { table: "message_reaction", where: own },
  { table: "message_deletion", where: own },
  { table: "chat_message", where: own },
  { table: "outbox", where: own },
  { table: "chat", where: own },
  { table: "opt_out", where: own },
  { table: "gateway_address", where: own },
  { table: "mail", where: own },
  { table: "audit_event", where: own },
];

/** No foreign key removes these events, so they go before their connections. */
export async function deletePosted(owner: Owner): Promise<void> {
  const where = of("connection_id", "connection")(sql<string>`${owner.accountId}::uuid`);
  for (const table of ["webhook_event", "webhook_state"])
    await sql`delete from ${sql.table(table)} where ${where}`.execute(owner.db);
}

/**
 * Up to `limit` rows of the first non-empty part; true if any. Skips locked rows: deleting a connection locks
 * in another order, a deadlock otherwise.
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

/** Then rows that name it without a foreign key. */
export async function deleteAccount(owner: Owner): Promise<void> {
  const { accountId } = owner;
  // They refer to images without a cascade, so they go first.
  await accountSendingOf(owner).deleteCampaigns();
  await sql`delete from account where id = ${accountId} and removed_at is not null`.execute(owner.db);
  await sql`delete from rate_limit where key like ${`%:${accountId}`}`.execute(owner.db);
}
