import { sql } from "kysely";
import type { Db } from "../../src/server/db/client.ts";

/** Between tests. Not by truncate, whose locks meet those of a refused sign-in that is still being noted, while nobody waits for it. */
export async function removeAccounts(db: Db): Promise<void> {
  await sql`delete from account`.execute(db);
  await sql`delete from rate_limit`.execute(db);
}
