import { sql } from "kysely";
import type { Db } from "../db/client.ts";
import { addSettingNow, readSetting } from "../db/settings.ts";

export type NewInvitation = { hash: Buffer; email: string | null; now: Date; expiresAt: Date };

export async function insertInvitation(db: Db, invitation: NewInvitation): Promise<number> {
  const { hash, email, now, expiresAt } = invitation;
  const { rows } = await sql<{ id: number }>`
    insert into invitation (hash, email, created_at, expires_at)
    values (${hash}, ${email}, ${now}, ${expiresAt}) returning id`.execute(db);
  if (!rows[0]) throw new Error("no invitation id");
  return rows[0].id;
}

const isValid = (now: Date) => sql`(used_at is null and revoked_at is null and expires_at > ${now})`;

export async function findInvitation(
  db: Db,
  hash: Buffer,
  now: Date,
): Promise<{ email: string | null } | undefined> {
  const { rows } = await sql<{ email: string | null }>`
    select email from invitation where hash = ${hash} and ${isValid(now)}`.execute(db);
  return rows[0];
}

/**
 * In the account's transaction. False when invalid or for another e-mail; of two parallel calls the second
 * waits and gets false.
 */
export async function spendInvitation(
  tx: Db,
  { hash, accountId, email, now }: { hash: Buffer; accountId: string; email: string; now: Date },
): Promise<boolean> {
  const { rows } = await sql`
    update invitation set used_at = ${now}, account_id = ${accountId}::uuid
    where hash = ${hash} and ${isValid(now)} and (email is null or email = ${email}) returning id`.execute(
    tx,
  );
  return rows.length > 0;
}

export type InvitationRow = {
  id: number;
  email: string | null;
  created_at: Date;
  expires_at: Date;
  used_at: Date | null;
  revoked_at: Date | null;
  used_by: string | null;
};

export async function listInvitations(db: Db): Promise<InvitationRow[]> {
  const { rows } = await sql<InvitationRow>`
    select i.id, i.email, i.created_at, i.expires_at, i.used_at, i.revoked_at, a.email as used_by
    from invitation i left join account a on a.id = i.account_id order by i.id`.execute(db);
  return rows;
}

export async function revokeInvitation(db: Db, id: number, now: Date): Promise<boolean> {
  const { rows } = await sql`
    update invitation set revoked_at = ${now} where id = ${id} and ${isValid(now)} returning id`.execute(db);
  return rows.length > 0;
}

/** Keeps those that name the account they created. */
export async function deleteOldInvitations(db: Db, before: Date): Promise<void> {
  await sql`delete from invitation where account_id is null and (expires_at < ${before} or revoked_at < ${before})`.execute(
    db,
  );
}

const FIRST_ACCOUNT = "first_account";

/** True also when all accounts were deleted. */
export async function hadAccount(db: Db): Promise<boolean> {
  return (await readSetting(db, FIRST_ACCOUNT)) !== undefined || (await hasAccount(db));
}

/** True once per installation; a parallel sign-up waits and is first only after a rollback. */
export async function takeFirstAccount(tx: Db): Promise<boolean> {
  return (await addSettingNow(tx, FIRST_ACCOUNT)) && !(await hasAccount(tx));
}

async function hasAccount(db: Db): Promise<boolean> {
  const { rows } = await sql`select from account limit 1`.execute(db);
  return rows.length > 0;
}
