import { sql } from "kysely";
import { afterAll, expect, test } from "vitest";
import { testDatabase, testLog } from "../../../tests/support/database.ts";
import { openJobs } from "../jobs/boss.ts";
import { FairQueues } from "../jobs/fair-queue.ts";
import { Metrics } from "./metrics.ts";

const { database, db } = await testDatabase();
const jobs = await openJobs(database, testLog, 30);
afterAll(() => jobs.stop());

const OF_DATABASE = [
  "workers",
  "webhooks_waiting",
  "webhooks_oldest_seconds",
  "outbox_waiting",
  "mail_waiting",
];
const reported = (text: string) =>
  OF_DATABASE.filter((name) => new RegExp(`^recado_${name} \\d`, "m").test(text));

test("a silent database is reported as such before Prometheus times out, with all other figures", async () => {
  let now = 0;
  const metrics = new Metrics(() => now);
  metrics.watch(db, {
    lanes: () => ({ owned: 2, connected: 1 }),
    streams: () => 0,
    pools: () => ({ work: database.pool(), pages: { open: 7, idle: 3, waiting: 2 } }),
    queues: new FairQueues({ monotonic: () => now }),
  });
  // The tables are locked, so the query waits for the statement timeout.
  await database.session((session) =>
    session.db.transaction().execute(async (tx) => {
      await sql`lock table campaign in access exclusive mode`.execute(tx);
      const text = await metrics.text();
      const asking = await sql`select from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`.execute(tx);
      expect(asking.rows).not.toEqual([]);
      expect(text).toMatch(/^recado_database_up 0$/m);
      expect(text).toMatch(/^recado_lanes_owned 2$/m);
      expect(text).toMatch(/^recado_database_connections{pool="work"} [1-9]/m);
      expect(text).toMatch(/^recado_database_waiting{pool="pages"} 2$/m);
      // No alert for missing workers: the database did not report their number.
      expect(reported(text)).toEqual([]);
    }),
  );
  now = 60_000;
  const text = await metrics.text();
  expect(text).toMatch(/^recado_database_up 1$/m);
  expect(reported(text)).toEqual([...OF_DATABASE]);
});
