import { sql } from "kysely";
import { recordForAll } from "../audit/service.ts";
import { during, operatorRequest } from "../base/request-context.ts";
import type { Db } from "../db/client.ts";
import { endRestoreLock, writeRestoreLock } from "../db/restore-lock.ts";
import { wakeMailer } from "../notifications/service.ts";
import { type Quieted, upkeepOf } from "../sending/sending.ts";

/**
 * Sets the restore lock and cancels what the original may do too: pending answers, e-mails, forwarded
 * messages.
 */
export async function keepQuiet(tx: Db, madeAt: string): Promise<Quieted> {
  await writeRestoreLock(tx, madeAt);
  const quieted = await upkeepOf(tx).quiet();
  await sql`update agent_answer set state = 'failed', reason = 'interrupted', finished_at = now()
    where state = 'thinking'`.execute(tx);
  await sql`update mail set given_up_at = now(), error = 'restored' where sent_at is null and given_up_at is null`.execute(
    tx,
  );
  await sql`update webhook_relay set done_at = now(), body = null, error = 'restored' where done_at is null`.execute(
    tx,
  );
  await sql`update contact_import set state = 'failed', fault = 'import_interrupted', fault_details = '{}', imported = 0,
      finished_at = now(), worker = null, lease_until = null
    where state in ('waiting', 'running')`.execute(tx);
  return quieted;
}

export async function releaseRestoreLock(db: Db): Promise<boolean> {
  return db.transaction().execute(async (tx) => {
    if (!(await endRestoreLock(tx))) return false;
    await during(operatorRequest(), () => recordForAll(tx, { kind: "restore_released" }));
    await upkeepOf(tx).wakeQuieted();
    await wakeMailer(tx);
    return true;
  });
}
