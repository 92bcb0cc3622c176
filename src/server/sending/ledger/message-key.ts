import { randomBytes } from "node:crypto";
import { sql } from "kysely";
import type { Db } from "../../db/client.ts";

/**
 * Message id key, kept in the database so that backups include it: with another key a resend after a restore
 * would be a second message for WhatsApp.
 */
export async function loadMessageKey(db: Db): Promise<Buffer> {
  const fresh = JSON.stringify(randomBytes(32).toString("base64"));
  await sql`insert into setting (key, value) values ('message_key', ${fresh}::jsonb) on conflict (key) do nothing`.execute(
    db,
  );
  const { rows } = await sql<{ value: string }>`select value from setting where key = 'message_key'`.execute(
    db,
  );
  const stored = rows[0]?.value;
  if (typeof stored !== "string") throw new Error("setting message_key is not readable");
  return Buffer.from(stored, "base64");
}
