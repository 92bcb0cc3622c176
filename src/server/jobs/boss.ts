import { PgBoss } from "pg-boss";
import type { Logger } from "pino";
import type { Database } from "../db/client.ts";
import { lockMigrations } from "../db/migrate.ts";
import { type KeyedQueue, type KeyedQueueOptions, openKeyedQueue } from "./keyed-queue.ts";
import { type JobsRole, WORKS } from "./role.ts";

export type ScheduledJob = { name: string; cron: string; run(): Promise<void> };

export type Jobs = {
  schedule(jobs: readonly ScheduledJob[]): Promise<void>;
  runNow(name: string): Promise<void>;
  queue<Data extends object>(options: KeyedQueueOptions): Promise<KeyedQueue<Data>>;
  stop(): Promise<void>;
};

/** Stored in PostgreSQL, run by one process, retried after a crash. Never for lanes or messages. */
export async function openJobs(
  database: Database,
  log: Logger,
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
  // Without a listener a lost connection would end the process.
  boss.on("error", (error) => log.warn({ err: error }, "jobs: the database does not answer"));
  // pg-boss migrates without a lock; two processes starting together would fail.
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
            // pg-boss itself only stores the error in its table.
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
