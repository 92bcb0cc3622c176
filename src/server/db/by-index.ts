import { type RawBuilder, sql } from "kysely";
import type { Db } from "./client.ts";

const OTHER_WAYS = ["enable_seqscan", "enable_bitmapscan", "enable_hashjoin", "enable_mergejoin"];

/**
 * Forces index order: the planner does not expect an empty queue and would sort a hundred thousand waiting
 * rows.
 */
export async function inIndexOrder<T>(db: Db, ask: (tx: Db) => Promise<T>): Promise<T> {
  const inside = async (tx: Db) => {
    await sql`select ${sql.join(OTHER_WAYS.map((name) => sql`set_config(${name}, 'off', true)`))}`.execute(
      tx,
    );
    return ask(tx);
  };
  return db.isTransaction ? inside(db) : db.transaction().execute(inside);
}

type InTurn = <T>(work: () => Promise<T>) => Promise<T>;
const turns = new WeakMap<Db, InTurn>();

/** Queues the scans of `db`; not inside a transaction. */
export function searchInTurns(db: Db, inTurn: InTurn): void {
  turns.set(db, inTurn);
}

/**
 * By index: a filter estimated at few rows makes PostgreSQL scan all accounts' ten million people (3 s)
 * instead of one campaign's million (0.7 s).
 */
export async function byIndex<T>(db: Db, query: RawBuilder<T>): Promise<T[]> {
  const read = () =>
    db.transaction().execute(async (tx) => {
      await sql`set local enable_seqscan = off`.execute(tx);
      const { rows } = await query.execute(tx);
      return rows;
    });
  const inTurn = turns.get(db);
  return inTurn ? inTurn(read) : read();
}
