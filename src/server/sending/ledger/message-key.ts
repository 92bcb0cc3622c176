import { randomBytes } from "node:crypto";
import type { Db } from "../../db/client.ts";
import { addSetting, readSetting } from "../../db/settings.ts";

const MESSAGE_KEY = "message_key";

/**
 * Message id key, kept in the database so that backups include it: with another key a resend after a restore
 * would be a second message for WhatsApp.
 */
export async function loadMessageKey(db: Db): Promise<Buffer> {
  await addSetting(db, MESSAGE_KEY, randomBytes(32).toString("base64"));
  const stored = await readSetting(db, MESSAGE_KEY);
  if (typeof stored !== "string") throw new Error("setting message_key is not readable");
  return Buffer.from(stored, "base64");
}
