import { sql } from "kysely";
import type { Db } from "../db/client.ts";
import { isSuspended } from "../db/suspended.ts";

/** Each part reads a partial index or few rows, or stops at MOST. */
export type Figures = {
  campaigns: { life: string; n: number; people: number; doubts: number }[];
  connections: { state: string; n: number }[];
  workers: number;
  webhooks: { waiting: number; oldestSeconds: number };
  outbox: number;
  mail: number;
  jobs: { name: string; queued: number; active: number; failed: number }[];
};

/** Longer queues report this, so that a scrape stays cheap. */
const MOST = 10_000;

export async function readFigures(db: Db): Promise<Figures> {
  const [campaigns, connections, waiting, jobs] = await Promise.all([
    // Must match the partial index, or the whole table is read.
    sql<Figures["campaigns"][number]>`select status as life, count(*)::int as n,
        coalesce(sum(pending_count + waiting_count + sending_count), 0)::bigint as people, coalesce(sum(uncertain_count), 0)::bigint as doubts
      from campaign where status = any(array['sending', 'paused', 'starting']) group by status
      union all
      select 'scheduled', count(*)::int, 0, 0 from campaign where status = 'scheduled'`.execute(db),
    sql<Figures["connections"][number]>`select state, count(*)::int as n from connection
      where desired <> 'removed' and not ${isSuspended(sql.ref("account_id"))} group by state`.execute(db),
    sql<{ workers: number; webhooks: number; oldest: number; outbox: number; mail: number }>`select
        (select count(*)::int from worker where lease_until > now() and not leaving and kinds <> '{}') as workers,
        (select count(*)::int from (select from webhook_event limit ${MOST}) q) as webhooks,
        coalesce((select extract(epoch from now() - received_at)::float8 from webhook_event order by id limit 1), 0) as oldest,
        (select count(*)::int from (select from outbox where status = any(array[0, 1, 2]) limit ${MOST}) q) as outbox,
        (select count(*)::int from (select from mail where sent_at is null and given_up_at is null limit ${MOST}) q) as mail`.execute(
      db,
    ),
    // From pg-boss as of its last check, except the assistants' jobs.
    sql<
      Figures["jobs"][number]
    >`select name, queued_count as queued, active_count as active, failed_count as failed
      from pgboss.queue where name <> 'assistant'
      union all select 'assistant', count(*) filter (where taken_until is null)::int,
        count(*) filter (where taken_until is not null)::int, 0 from answer_job
      order by name`.execute(db),
  ]);
  const now = waiting.rows[0];
  return {
    campaigns: campaigns.rows,
    connections: connections.rows,
    jobs: jobs.rows,
    workers: now?.workers ?? 0,
    outbox: now?.outbox ?? 0,
    mail: now?.mail ?? 0,
    webhooks: { waiting: now?.webhooks ?? 0, oldestSeconds: Math.max(0, now?.oldest ?? 0) },
  };
}
