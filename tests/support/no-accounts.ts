import { sql } from "kysely";
import type { Db } from "../../src/server/db/client.ts";

/**
 * Runs between tests. Not TRUNCATE: its locks would meet those of a refused sign-in that is still being
 * recorded in the background.
 */
export async function removeAccounts(db: Db): Promise<void> {
  await sql`delete from account`.execute(db);
  await sql`delete from rate_limit`.execute(db);
}
