import { sql } from "kysely";
import type { Db } from "./client.ts";

/** True for a zone that the database can count in too: its list of zones is not Node's, and a day counted in an unknown one fails. */
export async function knowsZone(db: Db, zone: string): Promise<boolean> {
  const { rows } =
    await sql`select 1 from pg_timezone_names where lower(name) = lower(${zone}) limit 1`.execute(db);
  return rows.length > 0;
}
