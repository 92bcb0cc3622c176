import { CompiledQuery } from "kysely";
import type { PgBoss } from "pg-boss";
import type { Logger } from "pino";
import type { Db } from "../db/client.ts";
import type { JobsRole } from "./role.ts";

/** Work about one thing each (a conversation, say), told apart by its key. */
export type KeyedQueue<Data extends object> = {
  /**
   * Asks for the work on `key` after a while. Work on it that still waits will do: this one is then dropped, its data with it. `tx`: it is
   * there with that commit, however this process ends then.
   */
  put(key: string, data: Data, delayMs: number, tx?: Db): Promise<void>;
  /** Takes work from now on, several at a time. Work that throws, or whose process dies, is taken up again by whoever is there. */
  work(run: (data: Data) => Promise<void>): Promise<void>;
};

export type KeyedQueueOptions = {
  name: string;
  /** How many a process works on at once. */
  workers: number;
  /** How long a process may be silent before its work is given to another. pg-boss takes no less than ten seconds. */
  silenceSeconds: number;
  /** Work put here is looked for when it is due; what others put, or left when they died, so often. Half a second at least. */
  pollMs: number;
};

/** Jobs take a minute or less; one that takes longer is lost. */
const EXPIRE_SECONDS = 300;
const RETRIES = 5;
const RETRY_SECONDS = 1;
const KEEP_SECONDS = 24 * 3_600;
/** A job is due by the database's clock, to which the way there has to be added. */
const LATE_MS = 30;

/** A queue of `short` policy: of one key at most one job waits, while another may run. Kept in PostgreSQL, shared by all processes. */
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
      // Each of its own id: a wake-up must also reach those that wait while another is busy.
      const started = Array.from({ length: workers }, async (_, place) => {
        ids[place] = await boss.work<Data>(name, { pollingIntervalSeconds }, async ([job]) => {
          try {
            if (job) await run(job.data);
          } catch (error) {
            log.warn({ err: error, job: name }, "job failed, to be tried again");
            wakeAfter(2 * RETRY_SECONDS * 1_000);
            throw error;
          } finally {
            // More may be due than there are workers: it looks again at once instead of at its next poll.
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
