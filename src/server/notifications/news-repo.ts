import { sql } from "kysely";
import type { Db } from "../db/client.ts";
import { isSuspended } from "../db/suspended.ts";
import { MAIL_CHANNEL } from "./mail-repo.ts";
import { preferred } from "./preferences-repo.ts";
import type { NewsKind } from "./unsubscribe.ts";

/** `key` identifies the text. */
export type News = { kind: NewsKind; key: string; subject: string; body: string };

/** For subscribers who lack it; answers the number of new e-mails. */
export async function queueNews(db: Db, { kind, key, subject, body }: News, now: Date): Promise<number> {
  const wanted = preferred(kind === "marketing" ? "emailMarketing" : "emailProduct");
  const { numAffectedRows } = await sql`
    insert into mail (account_id, kind, key, subject, body, created_at, next_at)
    select a.id, ${kind}::text, ${key}::text, ${subject}::text, ${body}::text, ${now}::timestamptz, ${now}::timestamptz
    from account a left join notification_preference p on p.account_id = a.id
    where a.removed_at is null and a.suspended_at is null and a.email_confirmed_at is not null and ${wanted}
    on conflict (account_id, kind, key) do nothing`.execute(db);
  await sql`select pg_notify(${MAIL_CHANNEL}, '')`.execute(db);
  return Number(numAffectedRows ?? 0n);
}

export type NewsProgress = { total: number; sent: number; failed: number; waiting: number };

export async function newsProgress(db: Db, { kind, key }: Pick<News, "kind" | "key">): Promise<NewsProgress> {
  const { rows } = await sql<NewsProgress>`
    select count(*)::int as total, count(sent_at)::int as sent, count(given_up_at)::int as failed,
      count(*) filter (where sent_at is null and given_up_at is null and not ${isSuspended(sql.ref("account_id"))})::int as waiting
    from mail where kind = ${kind} and key = ${key}`.execute(db);
  return rows[0] ?? { total: 0, sent: 0, failed: 0, waiting: 0 };
}
