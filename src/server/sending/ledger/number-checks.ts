import { sql } from "kysely";
import type { Db } from "../../db/client.ts";

export async function nextNumberCheck(db: Db, connectionId: number): Promise<string | null> {
  const { rows } = await sql<{ phone: string }>`select phone::text as phone from number_check
    where connection_id = ${connectionId} order by asked_at, phone limit 1`.execute(db);
  return rows[0]?.phone ?? null;
}

/** `phone` null: all of the connection. */
export async function deleteNumberChecks(db: Db, connectionId: number, phone: string | null): Promise<void> {
  const which = phone === null ? sql`true` : sql`phone = ${phone}::bigint`;
  await sql`delete from number_check where connection_id = ${connectionId} and ${which}`.execute(db);
}
