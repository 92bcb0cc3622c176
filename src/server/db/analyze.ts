import { sql } from "kysely";
import type { Database } from "./client.ts";

/** Longer than the database's own vacuum takes to give way. An operator's, or one that must be done, may go on for hours. */
const WAIT_MS = 3_000;

/**
 * Tells the planner of rows that came all at once: autovacuum would come minutes late, and plans go wrong before that. Fails where somebody
 * keeps the table for longer than `waitMs`, so that nobody waits behind it; autovacuum does it then.
 */
export async function analyze(
  database: Pick<Database, "session">,
  table: "contact" | "delivery",
  waitMs = WAIT_MS,
): Promise<void> {
  await database.session(({ db }) =>
    db.transaction().execute(async (tx) => {
      await sql`select set_config('lock_timeout', ${`${waitMs}ms`}, true)`.execute(tx);
      await sql`analyze ${sql.raw(table)}`.execute(tx);
    }),
  );
}
