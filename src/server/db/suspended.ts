import { type RawBuilder, sql } from "kysely";
import type { Owner } from "./owner.ts";

/**
 * SQL: whether the account in column `account` is suspended. Every statement that starts work for an account
 * checks it.
 */
export const isSuspended = (account: RawBuilder<unknown>) =>
  sql<boolean>`exists (select from account held where held.id = ${account} and held.suspended_at is not null)`;

/** SQL: the same for a deleted account. */
export const isRemoved = (account: RawBuilder<unknown>) =>
  sql<boolean>`exists (select from account held where held.id = ${account} and held.removed_at is not null)`;

export async function readSuspended(owner: Owner): Promise<boolean> {
  const { rows } = await sql`select from account
    where id = ${owner.accountId}::uuid and suspended_at is not null`.execute(owner.db);
  return rows.length > 0;
}
