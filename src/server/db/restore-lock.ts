import { sql } from "kysely";
import { AppError } from "../../domain/errors.ts";
import type { Db } from "./client.ts";

/**
 * The original of a restored backup may still run, and both would send everything twice. Until the operator's
 * release, every statement that starts external work checks this row.
 */
const HOLD_KEY = "restored";

/** SQL: true while no external work may start. */
export const IS_RESTORE_LOCKED = sql<boolean>`exists (select from setting where key = ${sql.lit(HOLD_KEY)})`;

/** Backup and restore times, ISO 8601. */
export type RestoreLock = { madeAt: string; restoredAt: string };

/** Null: released, or never restored. */
export async function readRestoreLock(db: Db): Promise<RestoreLock | null> {
  const { rows } = await sql<{
    value: RestoreLock;
  }>`select value from setting where key = ${HOLD_KEY}`.execute(db);
  return rows[0]?.value ?? null;
}

export async function writeRestoreLock(tx: Db, madeAt: string): Promise<void> {
  await sql`insert into setting (key, value)
    values (${HOLD_KEY}, jsonb_build_object('madeAt', ${madeAt}::text, 'restoredAt', ${new Date().toISOString()}::text))
    on conflict (key) do update set value = excluded.value, updated_at = now()`.execute(tx);
}

export async function endRestoreLock(tx: Db): Promise<boolean> {
  const { rows } = await sql`delete from setting where key = ${HOLD_KEY} returning key`.execute(tx);
  return rows.length > 0;
}

/** Throws `restored_held` to a person instead of silent waiting. */
export async function refuseWhileRestoreLocked(db: Db): Promise<void> {
  if (await readRestoreLock(db)) throw new AppError("restored_held");
}
