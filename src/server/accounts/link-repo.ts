import { sql } from "kysely";
import type { Db } from "../db/client.ts";
import { type Owner, ownerOf } from "../db/owner.ts";

/** Links to set a new password stand among the library's verifications, told from its own by this. */
const PREFIX = "password-reset:";

export type ResetRow = { id: string; hash: string };

export async function insertReset(
  owner: Owner,
  { id, hash, expiresAt, now }: ResetRow & { expiresAt: Date; now: Date },
): Promise<void> {
  await sql`insert into verification (id, identifier, value, expires_at, created_at, updated_at)
    values (${id}, ${PREFIX + hash}, ${owner.accountId}, ${expiresAt}, ${now}, ${now})`.execute(owner.db);
}

/** Whose password the link sets; undefined when it is over or was used. */
export async function findResetOwner(db: Db, { id, hash }: ResetRow, now: Date): Promise<Owner | undefined> {
  const { rows } = await sql<{ account: string }>`
    select a.id as account from verification v join account a on a.id::text = v.value
    where v.id = ${id} and v.identifier = ${PREFIX + hash} and v.expires_at > ${now} and a.removed_at is null`.execute(
    db,
  );
  return rows[0] && ownerOf(db, rows[0].account);
}

/**
 * Nobody else sets the password, by this link or otherwise, or closes the account until this transaction has ended. To be taken before the
 * link's row, in the order in which whoever closes the account or changes its password takes them: else each would wait for the other.
 */
export async function holdPassword(owner: Owner): Promise<void> {
  await sql`select 1 from account where id = ${owner.accountId} for no key update`.execute(owner.db);
  await sql`select 1 from credential where account_id = ${owner.accountId} for update`.execute(owner.db);
}

/** All links that would still set this account's password. */
export async function deleteResetsOf(owner: Owner): Promise<void> {
  await sql`delete from verification where value = ${owner.accountId} and starts_with(identifier, ${PREFIX})`.execute(
    owner.db,
  );
}

/** Those that were not used in time. */
export async function deleteOldResets(db: Db, now: Date): Promise<void> {
  await sql`delete from verification where expires_at < ${now} and starts_with(identifier, ${PREFIX})`.execute(
    db,
  );
}
