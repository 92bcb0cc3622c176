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
export const HELD = sql<boolean>`exists (select from setting where key = ${sql.lit(HOLD_KEY)})`;

/** When the backup was made and when it was restored, ISO 8601. */
export type Hold = { madeAt: string; restoredAt: string };

/** Null: released, or never restored. */
export async function readHold(db: Db): Promise<Hold | null> {
  const { rows } = await sql<{ value: Hold }>`select value from setting where key = ${HOLD_KEY}`.execute(db);
  return rows[0]?.value ?? null;
}

export async function writeHold(tx: Db, madeAt: string): Promise<void> {
  await sql`insert into setting (key, value)
    values (${HOLD_KEY}, jsonb_build_object('madeAt', ${madeAt}::text, 'restoredAt', ${new Date().toISOString()}::text))
    on conflict (key) do update set value = excluded.value, updated_at = now()`.execute(tx);
}

/** False when nothing was held. */
export async function endHold(tx: Db): Promise<boolean> {
  const { rows } = await sql`delete from setting where key = ${HOLD_KEY} returning key`.execute(tx);
  return rows.length > 0;
}

/** Throws `restored_held` where a person asks for what may not happen yet, instead of letting it wait unseen. */
export async function refuseWhileHeld(db: Db): Promise<void> {
  if (await readHold(db)) throw new AppError("restored_held");
}
