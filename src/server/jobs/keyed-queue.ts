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

export type OpenedKeyedQueue<Data extends object> = KeyedQueue<Data> & { close(): void };

/** pg-boss policy `short`: per key one job waits while another may run. */
export async function openKeyedQueue<Data extends object>(
  boss: PgBoss,
  log: Logger,
  role: JobsRole,
  options: KeyedQueueOptions,
): Promise<OpenedKeyedQueue<Data>> {
  await boss.createQueue(options.name, {
    policy: "short",
    heartbeatSeconds: Math.max(10, options.silenceSeconds),
    expireInSeconds: EXPIRE_SECONDS,
    retryLimit: RETRIES,
    retryDelay: RETRY_SECONDS,
    retryBackoff: true,
    retentionSeconds: KEEP_SECONDS,
    deleteAfterSeconds: KEEP_SECONDS,
  });
  return new StoredQueue<Data>(boss, log, role, options);
}

class StoredQueue<Data extends object> implements OpenedKeyedQueue<Data> {
  readonly #boss: PgBoss;
  readonly #log: Logger;
  readonly #role: JobsRole;
  readonly #options: KeyedQueueOptions;
  readonly #signal: string;
  readonly #waking = new Set<NodeJS.Timeout>();
  readonly #workers: string[] = [];

  constructor(boss: PgBoss, log: Logger, role: JobsRole, options: KeyedQueueOptions) {
    this.#boss = boss;
    this.#log = log;
    this.#role = role;
    this.#options = options;
    this.#signal = `job ${options.name}`;
    role.signals.hear(this.#signal, () => this.#wake());
  }

  async put(key: string, data: Data, delayMs: number, tx?: Db): Promise<void> {
    const db = tx && {
      db: { executeSql: (text: string, values?: unknown[]) => execute(tx, text, values) },
    };
    const startAfter = delayMs / 1_000;
    await this.#boss.send(this.#options.name, data, { singletonKey: key, startAfter, ...db });
    this.#wakeAfter(delayMs);
  }

  async work(run: (data: Data) => Promise<void>): Promise<void> {
    // Separate ids, so that a wake-up also reaches idle workers.
    const places = Array.from({ length: this.#options.workers }, (_, place) => place);
    await Promise.all(places.map((place) => this.#startWorker(place, run)));
  }

  close(): void {
    for (const timer of this.#waking) clearTimeout(timer);
    this.#waking.clear();
  }

  async #startWorker(place: number, run: (data: Data) => Promise<void>): Promise<void> {
    const { name, pollMs } = this.#options;
    const pollingIntervalSeconds = Math.max(500, pollMs) / 1_000;
    this.#workers[place] = await this.#boss.work<Data>(name, { pollingIntervalSeconds }, async ([job]) => {
      try {
        if (job) await run(job.data);
      } catch (error) {
        this.#log.warn({ err: error, job: name }, "job failed, to be tried again");
        this.#wakeAfter(2 * RETRY_SECONDS * 1_000);
        throw error;
      } finally {
        // More jobs may be due than workers: check again without waiting for the poll.
        this.#boss.notifyWorker(this.#workers[place] ?? "");
      }
    });
  }

  #wake(): void {
    for (const id of this.#workers) this.#boss.notifyWorker(id);
  }

  #wakeAfter(delayMs: number): void {
    const timer = setTimeout(() => {
      this.#waking.delete(timer);
      if (this.#role.works) this.#wake();
      else this.#role.signals.tell(this.#signal);
    }, delayMs + LATE_MS);
    timer.unref();
    this.#waking.add(timer);
  }
}

const execute = (tx: Db, text: string, values: unknown[] = []) =>
  tx.executeQuery<Record<string, unknown>>(CompiledQuery.raw(text, values));
