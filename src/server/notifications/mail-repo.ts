import { sql } from "kysely";
import type { Language } from "../../contract/accounts.ts";
import { linkOpen } from "../accounts/service.ts";
import { mostOf } from "../db/account-limits.ts";
import type { Db } from "../db/client.ts";
import type { Owner } from "../db/owner.ts";
import { IS_RESTORE_LOCKED } from "../db/restore-lock.ts";

/** NOTIFY channel for new e-mails. */
export const MAIL_CHANNEL = "recado_mail";

/** Key prefix of password links, before the link's row id. */
export const RESET_EMAIL = "reset/";
/** The same for address confirmation. */
export const CONFIRM_EMAIL = "confirm/";
/** Maximum waiting e-mails per account; more are dropped. */
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
  /** Identifies the occasion: one e-mail each. */
  key: string;
  subject: string;
  body: string;
  /** Instead of the account's. */
  address?: string;
  /** Default: now. */
  notBefore?: Date;
  /** Links and sign-up answers, also to unconfirmed addresses. */
  urgent?: boolean;
};

/** Queues an e-mail once per occasion. Null: present already, unconfirmed address, or too many waiting. */
export async function insertEmail(owner: Owner, email: NewEmail, now: Date): Promise<number | null> {
  const { kind, key, subject, body, address = null, notBefore = now, urgent = false } = email;
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

export type Reader = {
  email: string;
  name: string;
  language: Language;
  timeZone: string;
  confirmed: boolean;
};

/** Undefined: deleted. */
export async function findReader(owner: Owner): Promise<Reader | undefined> {
  const { rows } = await sql<Reader>`
    select email, name, language, time_zone as "timeZone", email_confirmed_at is not null as confirmed from account
    where id = ${owner.accountId} and removed_at is null`.execute(owner.db);
  return rows[0];
}

export type LastMail = { subject: string; at: Date; error: string | null; language: Language };

export async function findLastMail(owner: Owner): Promise<LastMail | undefined> {
  const { rows } = await sql<LastMail>`
    select m.subject, coalesce(m.sent_at, m.given_up_at, m.created_at) as at, m.error, a.language
    from mail m join account a on a.id = m.account_id
    where m.account_id = ${owner.accountId} and m.tries > 0 order by 2 desc, m.id desc limit 1`.execute(
    owner.db,
  );
  return rows[0];
}

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
  /** Its link was used or expired. */
  over: boolean;
};

/** Separate, so others never delay a link. */
export type EmailQueue = "urgent" | "other";

type Due = { now: Date; queue: EmailQueue };

/**
 * Due: time reached, address proved, hourly share not used up. Urgent ones are limited per address at
 * request.
 */
const due = ({ now, queue }: Due) => sql`
  m.sent_at is null and m.given_up_at is null and m.next_at <= ${now} and m.urgent = ${queue === "urgent"} and not ${IS_RESTORE_LOCKED}
  and a.removed_at is null and a.suspended_at is null and (m.urgent or (m.address is not null or a.email_confirmed_at is not null)
    and (select count(*) from mail h where h.account_id = m.account_id and not h.urgent
      and h.sent_at > ${new Date(now.getTime() - HOUR_MS)}) < coalesce(${mostOf("letters_an_hour")}, ${Number.MAX_SAFE_INTEGER}))`;

const HOUR_MS = 3_600_000;
const ACCOUNTS_MOST = 1_000;

/** Longest waiting first. */
export async function accountsWithEmails(db: Db, asked: Due): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select m.account_id as id from mail m join account a on a.id = m.account_id where ${due(asked)}
    group by m.account_id order by min(m.next_at) limit ${ACCOUNTS_MOST}`.execute(db);
  return rows.map(({ id }) => id);
}

/** The next due one, or this number at any time. */
export type Wanted = { now: Date } & ((Due & { accountId: string }) | { only: number });

/**
 * Leases an e-mail for `leaseMs`, longer than sending takes: no second process sends it, and it is retried if
 * this one dies.
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
      m.body, (starts_with(m.key, ${RESET_EMAIL}) or starts_with(m.key, ${CONFIRM_EMAIL}))
        and not ${linkOpen(sql`split_part(m.key, '/', 2)`, wanted.now)} as over`.execute(db);
  return rows[0];
}

export async function dropEmail(db: Db, id: number): Promise<void> {
  await sql`delete from mail where id = ${id} and sent_at is null`.execute(db);
}

export async function noteSent(db: Db, id: number, now: Date): Promise<void> {
  await sql`update mail set sent_at = ${now}, error = null where id = ${id}`.execute(db);
}

/** `again`: next attempt; null: never. */
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

/** Sent or given up long ago. */
export async function deleteOldEmails(db: Db, before: Date): Promise<void> {
  await sql`delete from mail where kind not in ('marketing', 'product')
    and (sent_at < ${before} or given_up_at < ${before})`.execute(db);
}

/** Drops unwanted waiting e-mails, never urgent ones. */
export async function dropWaiting(owner: Owner, kinds: readonly MailKind[]): Promise<void> {
  await sql`delete from mail where account_id = ${owner.accountId} and kind = any(${[...kinds]}::text[])
    and sent_at is null and given_up_at is null and not urgent`.execute(owner.db);
}

/** Every waiting e-mail. */
export async function giveUpMail(tx: Db, error: string): Promise<void> {
  await sql`update mail set given_up_at = now(), error = ${error}
    where sent_at is null and given_up_at is null`.execute(tx);
}
