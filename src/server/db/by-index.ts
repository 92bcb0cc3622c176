import { type RawBuilder, sql } from "kysely";
import type { Db } from "./client.ts";

const OTHER_WAYS = ["enable_seqscan", "enable_bitmapscan", "enable_hashjoin", "enable_mergejoin"];

/**
 * Asks in a transaction that finds rows in the order of an index. The planner knows nothing of a queue that is empty most of the time: it
 * would read and sort a hundred thousand waiting rows to find the first ones.
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

/** Says in whose turn the readings of a `db` begin. Inside a transaction there is no turn to wait for. */
export function searchInTurns(db: Db, inTurn: InTurn): void {
  turns.set(db, inTurn);
}

/**
 * The rows of a query that looks at all people of one campaign, list or connection: found by their index, never by reading the whole
 * table. What is filtered there (words, a state that nobody has) is foreseen as so few rows that PostgreSQL would rather read everything
 * in order: 3 s for the ten million people of all accounts, where the million of the campaign in question take 0.7 s.
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
