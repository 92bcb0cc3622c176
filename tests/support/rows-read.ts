import { sql } from "kysely";
import type { Db } from "../../src/server/db/client.ts";

/** Rows of a table and entries of its indexes that `ask` reads, in a transaction. */
export async function rowsRead(tx: Db, table: string, ask: () => Promise<unknown>): Promise<number> {
  // What the connection read before is counted too, until it is written out a second later.
  const before = await counted(tx, table);
  await ask();
  return (await counted(tx, table)) - before;
}

async function counted(tx: Db, table: string): Promise<number> {
  const { rows } = await sql<{ n: number }>`select sum(pg_stat_get_xact_tuples_fetched(c.oid)
      + pg_stat_get_xact_tuples_returned(c.oid))::int as n
    from pg_class c where c.oid = ${table}::regclass
      or c.oid in (select indexrelid from pg_index where indrelid = ${table}::regclass)`.execute(tx);
  return rows[0]?.n ?? 0;
}
