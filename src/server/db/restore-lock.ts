import { sql } from "kysely";
import { AppError } from "../../domain/errors.ts";
import type { Db } from "./client.ts";

/**
 * An installation restored from a backup is held until its operator releases it: the original may still run, and two of them would send
 * everything twice and take each other's connections. The row outlives restarts, and each statement that begins something on the outside
 * asks for it: whichever process, whatever it remembers.
 */
const HOLD_KEY = "restored";

/** For statements that hand out work to be done outside: true while nothing may be. */
export const IS_RESTORE_LOCKED = sql<boolean>`exists (select from setting where key = ${sql.lit(HOLD_KEY)})`;

/** When the backup was made and when it was restored, ISO 8601. */
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

/** False when nothing was held. */
export async function endRestoreLock(tx: Db): Promise<boolean> {
  const { rows } = await sql`delete from setting where key = ${HOLD_KEY} returning key`.execute(tx);
  return rows.length > 0;
}

/** Throws `restored_held` where a person asks for what may not happen yet, instead of letting it wait unseen. */
export async function refuseWhileRestoreLocked(db: Db): Promise<void> {
  if (await readRestoreLock(db)) throw new AppError("restored_held");
}
