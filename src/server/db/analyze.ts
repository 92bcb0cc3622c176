import { sql } from "kysely";
import type { Database } from "./client.ts";

/** Longer than an autovacuum takes to yield; a manual or forced one may take hours. */
const WAIT_MS = 3_000;

/**
 * After bulk inserts: autovacuum comes minutes late, with bad plans until then. Fails after `waitMs` on a
 * locked table, so others do not queue behind it.
 */
export async function analyze(
  database: Pick<Database, "session">,
  tables: "person, membership" | "delivery",
  waitMs = WAIT_MS,
): Promise<void> {
  await database.session(({ db }) =>
    db.transaction().execute(async (tx) => {
      await sql`select set_config('lock_timeout', ${`${waitMs}ms`}, true)`.execute(tx);
      await sql`analyze ${sql.raw(tables)}`.execute(tx);
    }),
  );
}
