import { sql } from "kysely";
import { expect } from "vitest";
import type { Db } from "../../src/server/db/client.ts";

/** Statements of this database that wait for a lock; only those with this beginning. */
export async function waiting(db: Db, beginning = ""): Promise<number> {
  const { rows } = await sql<{ n: number }>`select count(*)::int as n from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock' and starts_with(query, ${beginning})`.execute(
    db,
  );
  return rows[0]?.n ?? 0;
}

/**
 * Resolves when so many wait. Call it outside the holding transaction, whose snapshot of the statistics does
 * not change.
 */
export const untilWaiting = (db: Db, count = 1, beginning = ""): Promise<void> =>
  expect.poll(() => waiting(db, beginning), { timeout: 60_000 }).toBe(count);

export const unhurried = <T>(db: Db, work: (tx: Db) => Promise<T>): Promise<T> =>
  db.transaction().execute(async (tx) => {
    await sql`set local idle_in_transaction_session_timeout = 0`.execute(tx);
    return work(tx);
  });
