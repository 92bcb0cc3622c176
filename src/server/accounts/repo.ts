import { sql } from "kysely";
import type { Db } from "../db/client.ts";
import type { Owner } from "../db/owner.ts";

/** The channel on which ended sessions are told. */
export const SESSION_ENDED = "session_ended";

export type AccountRow = { id: string; name: string; email: string; time_zone: string; created_at: Date };

/** Before anybody has proved to be somebody there is no owner: these take the database, and only accounts calls them. */
export async function findAccountByEmail(db: Db, email: string): Promise<AccountRow | undefined> {
  const found = await sql<AccountRow>`
    select id, name, email, time_zone, created_at from account where email = ${email}`.execute(db);
  return found.rows[0];
}

export async function findAccount(owner: Owner): Promise<AccountRow | undefined> {
  const found = await sql<AccountRow>`
    select id, name, email, time_zone, created_at from account where id = ${owner.accountId}`.execute(
    owner.db,
  );
  return found.rows[0];
}

export async function touchSession(db: Db, sessionId: string, seenAt: Date): Promise<void> {
  await sql`update session set updated_at = ${seenAt} where id = ${sessionId}`.execute(db);
}

/** Told to every process in the same commit: open streams of the session end with it (session-ends.ts). */
const notifyEnded = sql`select pg_notify(${SESSION_ENDED}, id::text) from ended`;

export async function deleteSession(db: Db, sessionId: string): Promise<void> {
  await sql`with ended as (delete from session where id = ${sessionId} returning id) ${notifyEnded}`.execute(
    db,
  );
}

export async function deleteSessionsOf(owner: Owner): Promise<number> {
  const ended = await sql`
    with ended as (delete from session where account_id = ${owner.accountId} returning id) ${notifyEnded}`.execute(
    owner.db,
  );
  return ended.rows.length;
}

/** Sessions that nobody can use any more: rows would gather for ever, since a lost cookie is never shown again. */
export async function deleteOldSessions(db: Db, now: Date, unusedSince: Date): Promise<void> {
  await sql`delete from session where expires_at < ${now} or updated_at < ${unusedSince}`.execute(db);
}

export async function findLivingSessions(db: Db, sessionIds: string[]): Promise<string[]> {
  const found = await sql<{ id: string }>`select id from session where id = any(${sessionIds})`.execute(db);
  return found.rows.map((row) => row.id);
}

export async function updatePassword(owner: Owner, hash: string, now: Date): Promise<void> {
  await sql`
    update credential set password = ${hash}, updated_at = ${now}
    where account_id = ${owner.accountId} and provider_id = 'credential'`.execute(owner.db);
}

export type ApiKeyRow = {
  id: number;
  name: string;
  prefix: string;
  expires_at: Date | null;
  revoked_at: Date | null;
  last_used_at: Date | null;
  created_at: Date;
};

/** The number comes first: it is part of the key that is hashed and shown. */
export async function nextApiKeyId(db: Db): Promise<number> {
  const next = await sql<{ id: number }>`
    select nextval(pg_get_serial_sequence('api_key', 'id')) as id`.execute(db);
  const id = next.rows[0]?.id;
  if (id === undefined) throw new Error("no next api_key id");
  return id;
}

export type NewApiKey = {
  id: number;
  name: string;
  prefix: string;
  hash: Buffer;
  expiresAt: Date | null;
  now: Date;
};

export async function insertApiKey(owner: Owner, key: NewApiKey): Promise<void> {
  await sql`
    insert into api_key (id, account_id, name, prefix, hash, expires_at, created_at)
    overriding system value
    values (${key.id}, ${owner.accountId}, ${key.name}, ${key.prefix}, ${key.hash}, ${key.expiresAt}, ${key.now})`.execute(
    owner.db,
  );
}

export async function listApiKeys(owner: Owner): Promise<ApiKeyRow[]> {
  const found = await sql<ApiKeyRow>`
    select id, name, prefix, expires_at, revoked_at, last_used_at, created_at
    from api_key where account_id = ${owner.accountId} order by id`.execute(owner.db);
  return found.rows;
}

/** False when the account has no such living key. */
export async function revokeApiKey(owner: Owner, id: number, now: Date): Promise<boolean> {
  const revoked = await sql<{ id: number }>`
    update api_key set revoked_at = ${now}
    where account_id = ${owner.accountId} and id = ${id} and revoked_at is null returning id`.execute(
    owner.db,
  );
  return revoked.rows.length === 1;
}

export type LivingApiKey = { account_id: string; hash: Buffer; last_used_at: Date | null };

export async function findLivingApiKey(db: Db, id: number, now: Date): Promise<LivingApiKey | undefined> {
  const found = await sql<LivingApiKey>`
    select account_id, hash, last_used_at from api_key
    where id = ${id} and revoked_at is null and (expires_at is null or expires_at > ${now})`.execute(db);
  return found.rows[0];
}

/** Compared again in the statement: of many calls at once one writes. */
export async function touchApiKey(db: Db, id: number, now: Date, before: Date): Promise<void> {
  await sql`
    update api_key set last_used_at = ${now}
    where id = ${id} and (last_used_at is null or last_used_at < ${before})`.execute(db);
}

export async function listAccounts(db: Db): Promise<AccountRow[]> {
  const found = await sql<AccountRow>`
    select id, name, email, time_zone, created_at from account order by created_at, id`.execute(db);
  return found.rows;
}
