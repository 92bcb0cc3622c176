import { sql } from "kysely";
import type { Language } from "../../contract/accounts.ts";
import type { Db } from "../db/client.ts";
import { HELD } from "../db/hold.ts";
import type { Owner } from "../db/owner.ts";

/** The channel on which is told that there is a letter to send. */
export const MAIL_CHANNEL = "recado_mail";

/** How the occasion of a letter with a link that sets a new password begins; behind it the id of the link's row. */
export const RESET_LETTER = "reset/";

export type MailKind =
  | "campaign_completed"
  | "delivery_issues"
  | "account_updates"
  | "marketing"
  | "product"
  | "test";

export type NewLetter = {
  kind: MailKind;
  /** Names the occasion: the same one is told once. */
  key: string;
  subject: string;
  body: string;
  /** Another address than the account's own. */
  address?: string;
  /** Nobody sends it before; now unless said. */
  notBefore?: Date;
};

/** Puts a letter out to be sent, once for its occasion. Answers its number, or null when it was there already. */
export async function insertLetter(owner: Owner, letter: NewLetter, now: Date): Promise<number | null> {
  const { kind, key, subject, body, address = null, notBefore = now } = letter;
  const { rows } = await sql<{ id: number }>`
    with made as (
      insert into mail (account_id, kind, key, address, subject, body, created_at, next_at)
      values (${owner.accountId}, ${kind}, ${key}, ${address}, ${subject}, ${body}, ${now}, ${notBefore})
      on conflict (account_id, kind, key) do nothing returning id)
    select id, pg_notify(${MAIL_CHANNEL}, '') from made`.execute(owner.db);
  return rows[0]?.id ?? null;
}

/** Who reads a letter, and how it is to be written. */
export type Reader = { email: string; name: string; language: Language; timeZone: string };

/** Undefined for an account that was deleted. */
export async function findReader(owner: Owner): Promise<Reader | undefined> {
  const { rows } = await sql<Reader>`
    select email, name, language, time_zone as "timeZone" from account
    where id = ${owner.accountId} and removed_at is null`.execute(owner.db);
  return rows[0];
}

export type LastMail = { subject: string; at: Date; error: string | null; language: Language };

/** The letter to this account that was tried last. */
export async function findLastMail(owner: Owner): Promise<LastMail | undefined> {
  const { rows } = await sql<LastMail>`
    select m.subject, coalesce(m.sent_at, m.given_up_at, m.created_at) as at, m.error, a.language
    from mail m join account a on a.id = m.account_id
    where m.account_id = ${owner.accountId} and m.tries > 0 order by 2 desc, m.id desc limit 1`.execute(
    owner.db,
  );
  return rows[0];
}

/** A letter in the hands of whoever sends it. */
export type Claimed = {
  id: number;
  accountId: string;
  kind: MailKind;
  key: string;
  tries: number;
  to: string;
  language: Language;
  subject: string;
  body: string;
  /** The link that it brings was used, or its time has passed: it would lead to nothing. */
  over: boolean;
};

/**
 * Takes letters whose time has come. Each is left alone for `leaseMs` from then on: longer than sending takes, so that nobody else
 * sends it meanwhile, and so that it is taken up again should this process die with it.
 */
export async function claimLetters(
  db: Db,
  { now, leaseMs, limit, only }: { now: Date; leaseMs: number; limit: number; only?: number },
): Promise<Claimed[]> {
  const one = only === undefined ? sql`true` : sql`m.id = ${only}`;
  const { rows } = await sql<Claimed>`
    with due as materialized (
      select m.id from mail m join account a on a.id = m.account_id
      where m.sent_at is null and m.given_up_at is null and a.removed_at is null
        and a.suspended_at is null and ${one}
        and (m.next_at <= ${now} and not ${HELD} or ${only !== undefined})
      order by m.next_at, m.id limit ${limit} for update of m skip locked)
    update mail m set tries = m.tries + 1, next_at = ${new Date(now.getTime() + leaseMs)}
    from due, account a where m.id = due.id and a.id = m.account_id
    returning m.id, m.account_id as "accountId", m.kind, m.key, m.tries, coalesce(m.address, a.email) as to, a.language, m.subject,
      m.body, starts_with(m.key, ${RESET_LETTER}) and not exists (select 1 from verification v
        where v.id::text = substr(m.key, ${RESET_LETTER.length + 1}::int) and v.expires_at > ${now}) as over`.execute(
    db,
  );
  return rows;
}

/** A letter that nobody waits for any more. */
export async function dropLetter(db: Db, id: number): Promise<void> {
  await sql`delete from mail where id = ${id} and sent_at is null`.execute(db);
}

export async function noteSent(db: Db, id: number, now: Date): Promise<void> {
  await sql`update mail set sent_at = ${now}, error = null where id = ${id}`.execute(db);
}

/** `again` is when it is tried again; null: never. */
export async function noteFailed(
  db: Db,
  id: number,
  { error, again, now }: { error: string; again: Date | null; now: Date },
): Promise<void> {
  await sql`
    update mail set error = ${error}, next_at = coalesce(${again}::timestamptz, next_at),
      given_up_at = case when ${again}::timestamptz is null then ${now}::timestamptz end
    where id = ${id} and sent_at is null`.execute(db);
}

/** When the next letter is due; null when none waits. */
export async function nextLetterAt(db: Db): Promise<Date | null> {
  const { rows } = await sql<{ at: Date | null }>`
    select min(m.next_at) as at from mail m join account a on a.id = m.account_id
    where m.sent_at is null and m.given_up_at is null and a.removed_at is null and a.suspended_at is null
      and not ${HELD}`.execute(db);
  return rows[0]?.at ?? null;
}

/** Letters that were sent or given up long ago: the record of what was sent is not kept for ever. */
export async function deleteOldLetters(db: Db, before: Date): Promise<void> {
  await sql`delete from mail where kind not in ('marketing', 'product')
    and (sent_at < ${before} or given_up_at < ${before})`.execute(db);
}

/** Letters that wait and are not wanted any more. A link that sets a new password is wanted by whoever asked for it. */
export async function dropWaiting(owner: Owner, kinds: readonly MailKind[]): Promise<void> {
  await sql`delete from mail where account_id = ${owner.accountId} and kind = any(${[...kinds]}::text[])
    and sent_at is null and given_up_at is null and not starts_with(key, ${RESET_LETTER})`.execute(owner.db);
}
