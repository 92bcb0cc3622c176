import { sql } from "kysely";
import type { Logger } from "pino";
import type { Database, Db } from "./client.ts";

/** What a process that serves pages tells the processes that work: there is something new in the database. */
export type WorkSignals = {
  /** Tells them at once, and again at most every 50 ms. Never fails: whoever works also looks by itself, only later. */
  tell(name: string): void;
  /** Calls back when told, by whichever process, and when something may have been missed. Only where `listens` was said. */
  hear(name: string, act: () => void): void;
  close(): Promise<void>;
};

const CHANNEL = "recado_work";
/** Sixty events of webhooks a second are news twenty times a second. */
const WINDOW_MS = 50;

/** The same by a command, which has no signals open: with the commit of its transaction. */
export async function tellWork(tx: Db, name: string): Promise<void> {
  await sql`select pg_notify(${CHANNEL}, ${name})`.execute(tx);
}

/** Opens the signals between processes; a process that only serves has nothing to hear. */
export async function openWorkSignals(
  database: Database,
  log: Logger,
  listens: boolean,
): Promise<WorkSignals> {
  const acts = new Map<string, () => void>();
  /** Told a moment ago; true: and something came since. */
  const told = new Map<string, boolean>();
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
    told.set(name, false);
    sql`select pg_notify(${CHANNEL}, ${name})`.execute(database.db).catch((error: unknown) => {
      log.debug({ err: error, name }, "work was not told of");
    });
    setTimeout(() => {
      const again = told.get(name) === true;
      told.delete(name);
      if (again) send(name);
    }, WINDOW_MS).unref();
  }

  return {
    tell(name) {
      if (told.has(name)) told.set(name, true);
      else send(name);
    },
    hear: (name, act) => void acts.set(name, act),
    close: async () => listener?.close(),
  };
}
