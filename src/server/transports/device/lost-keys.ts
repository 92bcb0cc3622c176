import { sql } from "kysely";
import type { Db } from "../../db/client.ts";
import { isSealedByOtherKey, type Secrets } from "../../db/secrets.ts";

/** Connections with a part of their WhatsApp session that these keys cannot open; a partial session is worthless. */
export async function findUnreadableDevices(tx: Db, secrets: Pick<Secrets, "keyIds">): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select connection_id as id from device_creds where ${isSealedByOtherKey(sql`data`, secrets)}
    union select connection_id from device_key where ${isSealedByOtherKey(sql`data`, secrets)}`.execute(tx);
  return rows.map(({ id }) => id);
}

export async function deleteDeviceKeys(tx: Db, connectionIds: readonly number[]): Promise<void> {
  await sql`delete from device_key where connection_id = any(${connectionIds}::bigint[])`.execute(tx);
  await sql`delete from device_creds where connection_id = any(${connectionIds}::bigint[])`.execute(tx);
}
