import { sql } from "kysely";
import type { Language } from "../../contract/accounts.ts";
import { mostOf } from "../db/account-limits.ts";
import type { Db } from "../db/client.ts";
import type { Owner } from "../db/owner.ts";
import { IS_RESTORE_LOCKED } from "../db/restore-lock.ts";

/** The channel on which is told that there is a letter to send. */
export const MAIL_CHANNEL = "recado_mail";

/** How the occasion of a letter with a link that sets a new password begins; behind it the id of the link's row. */
export const RESET_LETTER = "reset/";
/** The same of a link that proves an address. */
export const CONFIRM_LETTER = "confirm/";
/** Letters of an account that may wait for their turn; what comes when as many wait is left out. */
const WAITING_MOST = 500;

export type MailKind =
  | "campaign_completed"
  | "delivery_issues"
  | "account_updates"
  | "marketing"
  | "product"
  | "test";

export type NewEmail = {
  kind: MailKind;
  /** Names the occasion: the same one is told once. */
  key: string;
  subject: string;
  body: string;
  /** Another address than the account's own. */
  address?: string;
  /** Nobody sends it before; now unless said. */
  notBefore?: Date;
  /** A link for the one who reads the address, or what answers a sign-up: it goes also to an address that is not confirmed. */
  urgent?: boolean;
};

/**
 * Puts a letter out to be sent, once for its occasion. Answers its number, or null when it was there already, when its address is not
 * confirmed, or when too many wait.
 */
export async function insertEmail(owner: Owner, letter: NewEmail, now: Date): Promise<number | null> {
  const { kind, key, subject, body, address = null, notBefore = now, urgent = false } = letter;
  const { rows } = await sql<{ id: number }>`
    with made as (
      insert into mail (account_id, kind, key, address, subject, body, created_at, next_at, urgent)
      select a.id, ${kind}::text, ${key}::text, ${address}::text, ${subject}::text, ${body}::text, ${now}::timestamptz,
        ${notBefore}::timestamptz, ${urgent}::boolean
      from account a where a.id = ${owner.accountId} and (${urgent} or a.email_confirmed_at is not null)
        and (${urgent} or (select count(*) from mail w
          where w.account_id = a.id and w.sent_at is null and w.given_up_at is null) < ${WAITING_MOST})
      on conflict (account_id, kind, key) do nothing returning id)
    select id, pg_notify(${MAIL_CHANNEL}, '') from made`.execute(owner.db);
  return rows[0]?.id ?? null;
}

/** Who reads a letter, and how it is to be written. */
export type Reader = {
  email: string;
  name: string;
  language: Language;
  timeZone: string;
  confirmed: boolean;
};

/** Undefined for an account that was deleted. */
export async function findReader(owner: Owner): Promise<Reader | undefined> {
  const { rows } = await sql<Reader>`
    select email, name, language, time_zone as "timeZone", email_confirmed_at is not null as confirmed from account
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

/** Urgent letters have a queue of their own: no number of others delays a link. */
export type EmailQueue = "urgent" | "other";

type Due = { now: Date; queue: EmailQueue };

/**
 * Letters that may go out now: their time has come, their address is proved, and their account has not had its
 * share of the last hour. Urgent ones are counted by address where they are asked for.
 */
const due = ({ now, queue }: Due) => sql`
  m.sent_at is null and m.given_up_at is null and m.next_at <= ${now} and m.urgent = ${queue === "urgent"} and not ${IS_RESTORE_LOCKED}
  and a.removed_at is null and a.suspended_at is null and (m.urgent or (m.address is not null or a.email_confirmed_at is not null)
    and (select count(*) from mail h where h.account_id = m.account_id and not h.urgent
      and h.sent_at > ${new Date(now.getTime() - HOUR_MS)}) < coalesce(${mostOf("letters_an_hour")}, ${Number.MAX_SAFE_INTEGER}))`;

const HOUR_MS = 3_600_000;
/** Accounts of one look; the next one finds the others. */
const ACCOUNTS_MOST = 1_000;

/** Accounts with a letter that may go out now, the longest waiting first. */
export async function accountsWithEmails(db: Db, asked: Due): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select m.account_id as id from mail m join account a on a.id = m.account_id where ${due(asked)}
    group by m.account_id order by min(m.next_at) limit ${ACCOUNTS_MOST}`.execute(db);
  return rows.map(({ id }) => id);
}

/** The account's next letter that may go out now, or the one with this number whatever its time. */
export type Wanted = { now: Date } & ((Due & { accountId: string }) | { only: number });

/**
 * Takes a letter. It is left alone for `leaseMs` from then on: longer than sending takes, so that no other process sends it too, and so
 * that it is taken up again should this process die with it.
 */
export async function claimEmail(
  db: Db,
  wanted: Wanted,
  { leaseMs }: { leaseMs: number },
): Promise<Claimed | undefined> {
  const which =
    "only" in wanted
      ? sql`m.id = ${wanted.only} and m.sent_at is null and m.given_up_at is null and a.removed_at is null
        and a.suspended_at is null`
      : sql`m.account_id = ${wanted.accountId} and ${due(wanted)}`;
  const { rows } = await sql<Claimed>`
    with due as materialized (
      select m.id from mail m join account a on a.id = m.account_id
      where ${which} order by m.next_at, m.id limit 1 for update of m skip locked)
    update mail m set tries = m.tries + 1, next_at = ${new Date(wanted.now.getTime() + leaseMs)}
    from due, account a where m.id = due.id and a.id = m.account_id
    returning m.id, m.account_id as "accountId", m.kind, m.key, m.tries, coalesce(m.address, a.email) as to, a.language, m.subject,
      m.body, (starts_with(m.key, ${RESET_LETTER}) or starts_with(m.key, ${CONFIRM_LETTER}))
        and not exists (select 1 from verification v
          where v.id::text = split_part(m.key, '/', 2) and v.expires_at > ${wanted.now}) as over`.execute(db);
  return rows[0];
}

/** A letter that nobody waits for any more. */
export async function dropEmail(db: Db, id: number): Promise<void> {
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

/** Letters that were sent or given up long ago: the record of what was sent is not kept for ever. */
export async function deleteOldEmails(db: Db, before: Date): Promise<void> {
  await sql`delete from mail where kind not in ('marketing', 'product')
    and (sent_at < ${before} or given_up_at < ${before})`.execute(db);
}

/** Letters that wait and are not wanted any more. An urgent one is wanted all the same. */
export async function dropWaiting(owner: Owner, kinds: readonly MailKind[]): Promise<void> {
  await sql`delete from mail where account_id = ${owner.accountId} and kind = any(${[...kinds]}::text[])
    and sent_at is null and given_up_at is null and not urgent`.execute(owner.db);
}
