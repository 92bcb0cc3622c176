import { sql } from "kysely";
import type { Db } from "./client.ts";

/** PostgreSQL's zones differ from Node's, and counting days in an unknown one fails. */
export async function knowsZone(db: Db, zone: string): Promise<boolean> {
  return (await findUnknownZones(db, [zone])).length === 0;
}

/** Those of `zones` that PostgreSQL does not know. */
export async function findUnknownZones(db: Db, zones: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ zone: string }>`
    select zone from unnest(${zones}::text[]) zone
    where lower(zone) not in (select lower(name) from pg_timezone_names)`.execute(db);
  return rows.map(({ zone }) => zone);
}
