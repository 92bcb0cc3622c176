import { sql } from "kysely";
import type { Db } from "./client.ts";

/** Erasing a person and writing people (imports, starts, hand entries) exclude each other until the transaction ends. */
export async function holdErasures(tx: Db, accountId: string, who: "erase" | "write"): Promise<void> {
  const lock = sql.raw(who === "erase" ? "pg_advisory_xact_lock" : "pg_advisory_xact_lock_shared");
  await sql`select ${lock}(hashtextextended('erasures ' || ${accountId}::text, 0))`.execute(tx);
}
