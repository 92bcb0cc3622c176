import { sql } from "kysely";
import type { Db } from "./client.ts";

/** The installation's values, one row a key, as JSON. */
export async function readSetting(db: Db, key: string): Promise<unknown> {
  const { rows } = await sql<{ value: unknown }>`select value from setting where key = ${key}`.execute(db);
  return rows[0]?.value;
}

/** False: it had this value already. */
export async function putSetting(db: Db, key: string, value: unknown): Promise<boolean> {
  const { rows } = await sql`insert into setting (key, value) values (${key}, ${JSON.stringify(value)}::jsonb)
    on conflict (key) do update set value = excluded.value, updated_at = now()
    where setting.value is distinct from excluded.value returning key`.execute(db);
  return rows.length > 0;
}

/** False: the key has a value, which stays. A parallel call waits for the other's transaction. */
export async function addSetting(db: Db, key: string, value: unknown): Promise<boolean> {
  const { rows } = await sql`insert into setting (key, value) values (${key}, ${JSON.stringify(value)}::jsonb)
    on conflict (key) do nothing returning key`.execute(db);
  return rows.length > 0;
}

/** The same with the database's present time. */
export async function addSettingNow(db: Db, key: string): Promise<boolean> {
  const { rows } = await sql`insert into setting (key, value) values (${key}, to_jsonb(now()))
    on conflict (key) do nothing returning key`.execute(db);
  return rows.length > 0;
}

export async function deleteSetting(db: Db, key: string): Promise<boolean> {
  const { rows } = await sql`delete from setting where key = ${key} returning key`.execute(db);
  return rows.length > 0;
}
