import { sql } from "kysely";
import { agentCounts } from "../agents/service.ts";
import { connectionCounts } from "../connections/service.ts";
import type { Db } from "../db/client.ts";
import { gatewayCounts } from "../gateways/service.ts";
import { mailCounts } from "../notifications/service.ts";
import { sqlParts } from "../sending/sending.ts";

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
  const { currentCampaigns, livingWorkers, countOnTheWay } = sqlParts();
  const [campaigns, connections, waiting, jobs] = await Promise.all([
    currentCampaigns.execute(db),
    connectionCounts.BY_STATE.execute(db),
    sql<{ workers: number; webhooks: number; oldest: number; outbox: number; mail: number }>`select
        ${livingWorkers} as workers, ${gatewayCounts.countWaiting(MOST)} as webhooks,
        ${gatewayCounts.OLDEST_SECONDS} as oldest, ${countOnTheWay(MOST)} as outbox,
        ${mailCounts.countWaiting(MOST)} as mail`.execute(db),
    // From pg-boss as of its last check, except the assistants' jobs.
    sql<
      Figures["jobs"][number]
    >`select name, queued_count as queued, active_count as active, failed_count as failed
      from pgboss.queue where name <> 'assistant'
      union all select 'assistant', a.queued, a.active, 0 from (${agentCounts.JOBS}) a
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
