import { sql } from "kysely";
import type { AuditKind } from "../../contract/audit.ts";
import { LIVING_ACCOUNTS } from "../db/account.ts";
import type { Db } from "../db/client.ts";
import type { Owner } from "../db/owner.ts";

export type Who = {
  actor: "session" | "key" | "operator" | "system" | "stranger";
  keyName: string | null;
  address: string | null;
  browser: string | null;
};

/** Names are those of the moment. Never a secret, a message's text or a whole phone. */
export type AuditAction = {
  kind: AuditKind;
  subject?: string;
  subjectId?: number;
  details?: Readonly<Record<string, string | number>>;
};

export type AuditRow = {
  id: number;
  at: Date;
  kind: AuditKind;
  actor: Who["actor"];
  key_name: string | null;
  address: string | null;
  browser: string | null;
  subject: string | null;
  subject_id: number | null;
  details: Record<string, string | number> | null;
};

const COLUMNS = sql.raw("account_id, kind, actor, key_name, address, browser, subject, subject_id, details");

const values = ({ kind, subject, subjectId, details }: AuditAction, who: Who) => sql`
  ${kind}::text, ${who.actor}::text, ${who.keyName}::text, ${who.address}::text,
  ${who.browser}::text, ${subject ?? null}::text, ${subjectId ?? null}::bigint,
  ${details ? JSON.stringify(details) : null}::jsonb`;

export async function insertEvent(owner: Owner, action: AuditAction, who: Who): Promise<void> {
  await sql`insert into audit_event (${COLUMNS}) values (${owner.accountId}::uuid, ${values(action, who)})`.execute(
    owner.db,
  );
}

/** For a known e-mail only; writes nothing without such an account. */
export async function insertEventByEmail(
  db: Db,
  email: string,
  action: AuditAction,
  who: Who,
): Promise<void> {
  await sql`insert into audit_event (${COLUMNS})
    select a.id, ${values(action, who)} from ${LIVING_ACCOUNTS} a where a.email = ${email}`.execute(db);
}

export async function insertEventForAll(tx: Db, action: AuditAction, who: Who): Promise<void> {
  await sql`insert into audit_event (${COLUMNS})
    select a.id, ${values(action, who)} from ${LIVING_ACCOUNTS} a`.execute(tx);
}

export async function findEvents(
  owner: Owner,
  { kinds, after, limit }: { kinds: readonly string[] | null; after: number | null; limit: number },
): Promise<AuditRow[]> {
  const { rows } = await sql<AuditRow>`
    select id, at, kind, actor, key_name, address, browser, subject, subject_id, details from audit_event
    where account_id = ${owner.accountId}::uuid
      and (${after}::bigint is null or id < ${after}::bigint)
      and (${kinds}::text[] is null or kind = any(${kinds}::text[]))
    order by id desc limit ${limit}`.execute(owner.db);
  return rows;
}

/** Last event of a person or program, by account. */
export async function findLastEvents(db: Db): Promise<Map<string, Date>> {
  const { rows } = await sql<{ account: string; at: Date }>`
    select account_id as account, max(at) as at from audit_event where actor in ('session', 'key') group by 1`.execute(
    db,
  );
  return new Map(rows.map(({ account, at }) => [account, at]));
}

export async function deleteSubjects(owner: Owner, subjects: readonly string[]): Promise<void> {
  await sql`update audit_event set subject = null
    where account_id = ${owner.accountId}::uuid and subject = any(${[...subjects]}::text[])`.execute(
    owner.db,
  );
}

export async function deleteEventsBefore(db: Db, before: Date, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`delete from audit_event where id in (
    select id from audit_event where at < ${before} order by at limit ${limit})`.execute(db);
  return Number(numAffectedRows ?? 0);
}
