import { sql } from "kysely";
import type { ApiKeyScope } from "../../contract/settings.ts";
import type { Db } from "../db/client.ts";
import type { Owner } from "../db/owner.ts";
import { deleteLinksOf } from "./link-repo.ts";

export const SESSION_ENDED = "session_ended";

export type AccountRow = {
  id: string;
  name: string;
  email: string;
  company: string;
  language: "pt-BR" | "en";
  time_zone: string;
  monthly_limit: number | null;
  risk_read_at: Date | null;
  steps_hidden_at: Date | null;
  email_confirmed_at: Date | null;
  /** Replaces `email` once confirmed. */
  pending_email: string | null;
  browser_generation: number;
  created_at: Date;
};

const COLUMNS = sql.raw(
  "id, name, email, company, language, time_zone, monthly_limit, risk_read_at, steps_hidden_at, email_confirmed_at, pending_email, browser_generation, created_at",
);

/** Before authentication there is no owner, so these take the database; only accounts calls them. */
export async function findAccountByEmail(db: Db, email: string): Promise<AccountRow | undefined> {
  const found = await sql<AccountRow>`
    select ${COLUMNS} from account where email = ${email} and removed_at is null`.execute(db);
  return found.rows[0];
}

export async function findAccount(owner: Owner): Promise<AccountRow | undefined> {
  const found = await sql<AccountRow>`
    select ${COLUMNS} from account where id = ${owner.accountId} and removed_at is null`.execute(owner.db);
  return found.rows[0];
}

export type NewAccount = {
  name: string;
  email: string;
  password: string;
  timeZone: string;
  termsVersion: string;
  now: Date;
};

/** `password` is its hash. Throws a unique violation of `account_email_key`. */
export async function insertAccount(tx: Db, account: NewAccount): Promise<string> {
  const { name, email, password, timeZone, termsVersion, now } = account;
  const { rows } = await sql<{ id: string }>`
    with made as (
      insert into account (name, email, time_zone, terms_version, terms_accepted_at, created_at, updated_at)
      values (${name}, ${email}, ${timeZone}, ${termsVersion}, ${now}, ${now}, ${now}) returning id)
    insert into credential (account_id, provider_id, provider_account_id, password, created_at, updated_at)
    select id, 'credential', id::text, ${password}, ${now}, ${now} from made returning account_id as id`.execute(
    tx,
  );
  if (!rows[0]) throw new Error("no account id");
  return rows[0].id;
}

/** Compares again, so that one of many parallel calls writes. */
export async function touchSession(db: Db, sessionId: string, now: Date, before: Date): Promise<void> {
  await sql`update session set updated_at = ${now} where id = ${sessionId} and updated_at < ${before}`.execute(
    db,
  );
}

/** Ends open streams of the session in every process (session-ends.ts). */
const notifyEnded = sql`select pg_notify(${SESSION_ENDED}, id::text) from ended`;

export async function deleteSession(db: Db, sessionId: string): Promise<void> {
  await sql`with ended as (delete from session where id = ${sessionId} returning id) ${notifyEnded}`.execute(
    db,
  );
}

export async function expireSession(db: Db, sessionId: string, at: Date): Promise<void> {
  await sql`update session set expires_at = least(expires_at, ${at}) where id = ${sessionId}::uuid`.execute(
    db,
  );
}

/** Null without one. `hold`: waits for a pending change. */
export async function findLoginHash(db: Db, email: string, { hold = false } = {}): Promise<string | null> {
  const { rows } = await sql<{ password: string | null }>`
    select c.password from credential c join account a on a.id = c.account_id
    where a.email = ${email} and a.removed_at is null and c.provider_id = 'credential'
    ${hold ? sql`for share of c` : sql``}`.execute(db);
  return rows[0]?.password ?? null;
}

export async function deleteSessionByToken(db: Db, token: string): Promise<void> {
  await sql`with ended as (delete from session where token = ${token} returning id) ${notifyEnded}`.execute(
    db,
  );
}

export async function deleteSessionsOf(owner: Owner, except: string | null = null): Promise<number> {
  const ended = await sql`
    with ended as (
      delete from session where account_id = ${owner.accountId} and id is distinct from ${except}::uuid returning id)
    ${notifyEnded}`.execute(owner.db);
  return ended.rows.length;
}

export async function deleteOwnSession(owner: Owner, sessionId: string): Promise<boolean> {
  const ended = await sql`
    with ended as (
      delete from session where account_id = ${owner.accountId} and id = ${sessionId}::uuid returning id)
    ${notifyEnded}`.execute(owner.db);
  return ended.rows.length > 0;
}

export type SessionRow = {
  id: string;
  user_agent: string | null;
  ip_address: string | null;
  created_at: Date;
  updated_at: Date;
};

/** Those that live beyond `until` and were used since `seenSince`. */
export async function listSessions(
  owner: Owner,
  { until, seenSince }: { until: Date; seenSince: Date },
): Promise<SessionRow[]> {
  const found = await sql<SessionRow>`
    select id, user_agent, ip_address, created_at, updated_at from session
    where account_id = ${owner.accountId} and expires_at > ${until} and updated_at >= ${seenSince}
    order by updated_at desc, id`.execute(owner.db);
  return found.rows;
}

/** Otherwise rows of lost cookies would accumulate. */
export async function deleteOldSessions(db: Db, now: Date, unusedSince: Date): Promise<void> {
  await sql`delete from session where expires_at < ${now} or updated_at < ${unusedSince}`.execute(db);
}

export async function findLivingSessions(db: Db, sessionIds: string[]): Promise<string[]> {
  const found = await sql<{ id: string }>`select id from session where id = any(${sessionIds})`.execute(db);
  return found.rows.map((row) => row.id);
}

/** Also deletes reset links. Inside a transaction. */
export async function updatePassword(owner: Owner, hash: string, now: Date): Promise<void> {
  await sql`
    update credential set password = ${hash}, updated_at = ${now}
    where account_id = ${owner.accountId} and provider_id = 'credential'`.execute(owner.db);
  await deleteLinksOf(owner, "reset");
}

export type ApiKeyRow = {
  id: number;
  name: string;
  prefix: string;
  scope: ApiKeyScope;
  expires_at: Date | null;
  revoked_at: Date | null;
  last_used_at: Date | null;
  created_at: Date;
};

const KEY_COLUMNS = sql.raw("id, name, prefix, scope, expires_at, revoked_at, last_used_at, created_at");

/** Reserved first, as the id is part of the hashed key. */
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
  scope: ApiKeyScope;
  expiresAt: Date | null;
  now: Date;
};

export async function insertApiKey(owner: Owner, key: NewApiKey): Promise<void> {
  await sql`
    insert into api_key (id, account_id, name, prefix, hash, scope, expires_at, created_at)
    overriding system value
    values (${key.id}, ${owner.accountId}, ${key.name}, ${key.prefix}, ${key.hash}, ${key.scope}, ${key.expiresAt},
      ${key.now})`.execute(owner.db);
}

export async function listApiKeys(owner: Owner): Promise<ApiKeyRow[]> {
  const found = await sql<ApiKeyRow>`
    select ${KEY_COLUMNS} from api_key where account_id = ${owner.accountId} order by id`.execute(owner.db);
  return found.rows;
}

export async function findApiKey(owner: Owner, id: number): Promise<ApiKeyRow | undefined> {
  const found = await sql<ApiKeyRow>`
    select ${KEY_COLUMNS} from api_key where account_id = ${owner.accountId} and id = ${id}`.execute(
    owner.db,
  );
  return found.rows[0];
}

export async function countLivingApiKeys(owner: Owner, now: Date): Promise<number> {
  const found = await sql<{ n: number }>`
    select count(*)::int as n from api_key
    where account_id = ${owner.accountId} and revoked_at is null and (expires_at is null or expires_at > ${now})`.execute(
    owner.db,
  );
  return found.rows[0]?.n ?? 0;
}

export async function listLivingApiKeys(
  owner: Owner,
  now: Date,
): Promise<{ name: string; prefix: string }[]> {
  const found = await sql<{ name: string; prefix: string }>`
    select name, prefix from api_key
    where account_id = ${owner.accountId} and revoked_at is null and (expires_at is null or expires_at > ${now})
    order by id`.execute(owner.db);
  return found.rows;
}

export async function revokeApiKeys(owner: Owner, now: Date): Promise<{ name: string; prefix: string }[]> {
  const revoked = await sql<{ name: string; prefix: string }>`
    update api_key set revoked_at = ${now}
    where account_id = ${owner.accountId} and revoked_at is null and (expires_at is null or expires_at > ${now})
    returning name, prefix`.execute(owner.db);
  return revoked.rows;
}

export async function revokeApiKey(owner: Owner, id: number, now: Date): Promise<boolean> {
  const revoked = await sql<{ id: number }>`
    update api_key set revoked_at = ${now}
    where account_id = ${owner.accountId} and id = ${id} and revoked_at is null returning id`.execute(
    owner.db,
  );
  return revoked.rows.length === 1;
}

export type LivingApiKey = {
  account_id: string;
  name: string;
  hash: Buffer;
  scope: ApiKeyScope;
  last_used_at: Date | null;
  suspended: boolean;
};

export async function findLivingApiKey(db: Db, id: number, now: Date): Promise<LivingApiKey | undefined> {
  const found = await sql<LivingApiKey>`
    select k.account_id, k.name, k.hash, k.scope, k.last_used_at, a.suspended_at is not null as suspended
    from api_key k join account a on a.id = k.account_id
    where k.id = ${id} and k.revoked_at is null and (k.expires_at is null or k.expires_at > ${now})`.execute(
    db,
  );
  return found.rows[0];
}

export async function touchApiKey(db: Db, id: number, now: Date, before: Date): Promise<void> {
  await sql`
    update api_key set last_used_at = ${now}
    where id = ${id} and (last_used_at is null or last_used_at < ${before})`.execute(db);
}

/** False when suspended or closed. Sign-ins wait for this transaction. */
export async function markSuspended(owner: Owner, now: Date): Promise<boolean> {
  const { rows } = await sql`update account set suspended_at = ${now}
    where id = ${owner.accountId} and suspended_at is null and removed_at is null returning id`.execute(
    owner.db,
  );
  return rows.length > 0;
}

export async function unmarkSuspended(owner: Owner): Promise<boolean> {
  const { rows } = await sql`update account set suspended_at = null
    where id = ${owner.accountId} and suspended_at is not null returning id`.execute(owner.db);
  return rows.length > 0;
}

/** Waits for a suspension being written: earlier sessions are ended, later ones refused. */
export async function isSuspendedByEmail(db: Db, email: string): Promise<boolean> {
  const { rows } = await sql<{ suspended: boolean }>`
    select suspended_at is not null as suspended from account where email = ${email} and removed_at is null for share`.execute(
    db,
  );
  return rows[0]?.suspended ?? false;
}

export type AccountSummary = {
  id: string;
  email: string;
  name: string;
  created_at: Date;
  suspended_at: Date | null;
  /** Last use of a session or key that still exists. */
  seen_at: Date | null;
};

export async function listAccounts(db: Db): Promise<AccountSummary[]> {
  const found = await sql<AccountSummary>`
    select a.id, a.email, a.name, a.created_at, a.suspended_at,
      greatest((select max(s.updated_at) from session s where s.account_id = a.id),
        (select max(k.last_used_at) from api_key k where k.account_id = a.id)) as seen_at
    from account a where a.removed_at is null order by a.created_at, a.id`.execute(db);
  return found.rows;
}

/** Null: clears the pending e-mail. */
export async function storePendingEmail(owner: Owner, email: string | null): Promise<void> {
  await sql`update account set pending_email = ${email} where id = ${owner.accountId} and removed_at is null`.execute(
    owner.db,
  );
}

/** Throws a unique violation of `account_email_key`. */
export async function storeConfirmed(owner: Owner, email: string, now: Date): Promise<void> {
  await sql`update account set email = ${email}, email_confirmed_at = ${now}, updated_at = ${now},
      pending_email = case when pending_email <> ${email} then pending_email end
    where id = ${owner.accountId} and removed_at is null`.execute(owner.db);
}

/** The latest of several. */
export async function findAccountByPendingEmail(db: Db, email: string): Promise<AccountRow | undefined> {
  const found = await sql<AccountRow>`
    select ${COLUMNS} from account where pending_email = ${email} and removed_at is null
    order by updated_at desc limit 1`.execute(db);
  return found.rows[0];
}

/** Confirms the mailbox and forgets all browsers. */
export async function noteReset(owner: Owner, now: Date): Promise<void> {
  await sql`update account set email_confirmed_at = coalesce(email_confirmed_at, ${now}),
      browser_generation = browser_generation + 1
    where id = ${owner.accountId}`.execute(owner.db);
}

export async function noteProved(owner: Owner, sessionId: string, now: Date): Promise<void> {
  await sql`update session set password_proved_at = ${now}
    where id = ${sessionId} and account_id = ${owner.accountId}`.execute(owner.db);
}

/** Signing in counts as proof. */
export async function findProvedAt(owner: Owner, sessionId: string): Promise<Date | null> {
  const found = await sql<{ at: Date }>`
    select coalesce(password_proved_at, created_at) as at from session
    where id = ${sessionId} and account_id = ${owner.accountId}`.execute(owner.db);
  return found.rows[0]?.at ?? null;
}

export async function storeUnconfirmed(owner: Owner): Promise<void> {
  await sql`update account set email_confirmed_at = null where id = ${owner.accountId}`.execute(owner.db);
}

/** Signs everyone out, without the signal that ends open streams: no process runs. */
export async function deleteAllSessions(tx: Db): Promise<void> {
  await sql`delete from session`.execute(tx);
}
