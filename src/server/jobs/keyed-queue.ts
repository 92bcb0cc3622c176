import { CompiledQuery } from "kysely";
import type { PgBoss } from "pg-boss";
import type { Logger } from "pino";
import type { Db } from "../db/client.ts";
import type { JobsRole } from "./role.ts";

export type KeyedQueue<Data extends object> = {
  /** Dropped, with its data, if one already waits. With `tx` it commits with that transaction. */
  put(key: string, data: Data, delayMs: number, tx?: Db): Promise<void>;
  /** Failed jobs and those of dead processes are retried. */
  work(run: (data: Data) => Promise<void>): Promise<void>;
};

export type KeyedQueueOptions = {
  name: string;
  workers: number;
  /** Silence after which a process loses its work; pg-boss allows at least ten seconds. */
  silenceSeconds: number;
  /** Polling interval for other processes' work; at least half a second. */
  pollMs: number;
};

const EXPIRE_SECONDS = 300;
const RETRIES = 5;
const RETRY_SECONDS = 1;
const KEEP_SECONDS = 24 * 3_600;
/** Jobs are due by the database clock; adds the round trip. */
const LATE_MS = 30;

/** pg-boss policy `short`: per key one job waits while another may run. */
export async function openKeyedQueue<Data extends object>(
  boss: PgBoss,
  log: Logger,
  { works, signals }: JobsRole,
  { name, workers, silenceSeconds, pollMs }: KeyedQueueOptions,
): Promise<KeyedQueue<Data> & { close(): void }> {
  const waking = new Set<NodeJS.Timeout>();
  const ids: string[] = [];
  const pollingIntervalSeconds = Math.max(500, pollMs) / 1_000;
  await boss.createQueue(name, {
    policy: "short",
    heartbeatSeconds: Math.max(10, silenceSeconds),
    expireInSeconds: EXPIRE_SECONDS,
    retryLimit: RETRIES,
    retryDelay: RETRY_SECONDS,
    retryBackoff: true,
    retentionSeconds: KEEP_SECONDS,
    deleteAfterSeconds: KEEP_SECONDS,
  });

  const signal = `job ${name}`;
  const wake = () => {
    for (const id of ids) boss.notifyWorker(id);
  };
  signals.hear(signal, wake);

  function wakeAfter(delayMs: number): void {
    const timer = setTimeout(() => {
      waking.delete(timer);
      if (works) wake();
      else signals.tell(signal);
    }, delayMs + LATE_MS);
    timer.unref();
    waking.add(timer);
  }

  return {
    async put(key, data, delayMs, tx) {
      const db = tx && {
        db: { executeSql: (text: string, values?: unknown[]) => execute(tx, text, values) },
      };
      await boss.send(name, data, { singletonKey: key, startAfter: delayMs / 1_000, ...db });
      wakeAfter(delayMs);
    },

    async work(run) {
      // Separate ids, so that a wake-up also reaches idle workers.
      const started = Array.from({ length: workers }, async (_, place) => {
        ids[place] = await boss.work<Data>(name, { pollingIntervalSeconds }, async ([job]) => {
          try {
            if (job) await run(job.data);
          } catch (error) {
            log.warn({ err: error, job: name }, "job failed, to be tried again");
            wakeAfter(2 * RETRY_SECONDS * 1_000);
            throw error;
          } finally {
            // More jobs may be due than workers: check again without waiting for the poll.
            boss.notifyWorker(ids[place] ?? "");
          }
        });
      });
      await Promise.all(started);
    },

    close() {
      for (const timer of waking) clearTimeout(timer);
      waking.clear();
    },
  };
}

const execute = (tx: Db, text: string, values: unknown[] = []) =>
  tx.executeQuery<Record<string, unknown>>(CompiledQuery.raw(text, values));
