import { sql } from "kysely";
import type { Logger } from "pino";
import type { Database, Db } from "./client.ts";

/** Signals from web processes to workers: new work in the database. */
export type WorkSignals = {
  /** At once, then at most every 50 ms. Never fails: workers also poll. */
  tell(name: string): void;
  /** Called on a signal from any process, or when one may be lost. Needs `listens`. */
  hear(name: string, act: () => void): void;
  close(): Promise<void>;
};

const CHANNEL = "recado_work";
const WINDOW_MS = 50;

/** For commands without open signals; sent with the transaction's commit. */
export async function notifyWork(tx: Db, name: string): Promise<void> {
  await sql`select pg_notify(${CHANNEL}, ${name})`.execute(tx);
}

export async function openWorkSignals(
  database: Database,
  log: Logger,
  listens: boolean,
): Promise<WorkSignals> {
  const acts = new Map<string, () => void>();
  /** Signalled recently; true: and more since. */
  const recent = new Map<string, boolean>();
  const listener = listens
    ? await database.listen(
        CHANNEL,
        (name) => acts.get(name)?.(),
        () => {
          for (const act of acts.values()) act();
        },
      )
    : null;

  function send(name: string): void {
    recent.set(name, false);
    sql`select pg_notify(${CHANNEL}, ${name})`.execute(database.db).catch((error: unknown) => {
      log.debug({ err: error, name }, "work signal not sent");
    });
    setTimeout(() => {
      const again = recent.get(name) === true;
      recent.delete(name);
      if (again) send(name);
    }, WINDOW_MS).unref();
  }

  return {
    tell(name) {
      if (recent.has(name)) recent.set(name, true);
      else send(name);
    },
    hear: (name, act) => void acts.set(name, act),
    close: async () => listener?.close(),
  };
}
