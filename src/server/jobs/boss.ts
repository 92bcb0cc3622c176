import { PgBoss } from "pg-boss";
import type { Logger } from "pino";
import type { Database } from "../db/client.ts";
import { lockMigrations } from "../db/migrate.ts";
import { type KeyedQueue, type KeyedQueueOptions, openKeyedQueue } from "./keyed-queue.ts";
import { type JobsRole, WORKS } from "./role.ts";

/** A job that runs once for the whole installation at the hour its cron line says (UTC). */
export type ScheduledJob = { name: string; cron: string; run(): Promise<void> };

export type Jobs = {
  /** Keeps the hours of these jobs and takes them when they come. */
  schedule(jobs: readonly ScheduledJob[]): Promise<void>;
  /** Runs a job now, whatever its hour; its queue takes care that it runs once. */
  runNow(name: string): Promise<void>;
  /** A queue of work about one thing each. */
  queue<Data extends object>(options: KeyedQueueOptions): Promise<KeyedQueue<Data>>;
  /** Lets what runs finish. */
  stop(): Promise<void>;
};

/** Background work on the job library: kept in PostgreSQL, taken by one process, tried again after a crash. Never lanes or messages. */
export async function openJobs(
  database: Database,
  log: Logger,
  /** How often jobs are looked for whose process has died; a second at least. */
  lookSeconds: number,
  role: JobsRole = WORKS,
): Promise<Jobs> {
  const look = Math.max(1, Math.round(lookSeconds));
  const boss = new PgBoss({
    supervise: role.works,
    schedule: role.works,
    superviseIntervalSeconds: look,
    monitorIntervalSeconds: look,
    db: { executeSql: (text: string, values?: unknown[]) => database.query(text, values) },
  });
  // Without a listener a lost database connection would end the process.
  boss.on("error", (error) => log.warn({ err: error }, "jobs: the database does not answer"));
  // It makes or changes its tables without waiting for another process that does; the second would not start.
  await database.session(({ db }) => lockMigrations(db, () => boss.start()));
  const workers = new Map<string, string>();
  const queues: { close(): void }[] = [];
  return {
    async schedule(jobs) {
      for (const { name, cron, run } of jobs) {
        await boss.createQueue(name, { policy: "singleton", retryLimit: 2 });
        const worker = await boss.work(name, { pollingIntervalSeconds: 30 }, async () => {
          const start = performance.now();
          await run().catch((error: unknown) => {
            // The job library keeps it to itself, in a table of its own.
            log.error({ err: error, job: name }, "job failed");
            throw error;
          });
          log.info({ job: name, ms: Math.round(performance.now() - start) }, "job done");
        });
        workers.set(name, worker);
        await boss.schedule(name, cron);
      }
    },
    async runNow(name) {
      await boss.send(name, {});
      boss.notifyWorker(workers.get(name) ?? "");
    },
    async queue<Data extends object>(options: KeyedQueueOptions) {
      const queue = await openKeyedQueue<Data>(boss, log, role, options);
      queues.push(queue);
      return queue;
    },
    async stop() {
      for (const queue of queues) queue.close();
      await boss.stop({ graceful: true, timeout: 10_000 });
    },
  };
}
