import { interruptAnswers } from "../agents/answers-repo.ts";
import { recordForAll } from "../audit/service.ts";
import { during, operatorRequest } from "../base/request-context.ts";
import { interruptImports } from "../contacts/import-leases.ts";
import type { Db } from "../db/client.ts";
import { endRestoreLock, writeRestoreLock } from "../db/restore-lock.ts";
import { giveUpRelays } from "../gateways/relay-repo.ts";
import { giveUpMail } from "../notifications/mail-repo.ts";
import { wakeMailer } from "../notifications/service.ts";
import { type Quieted, upkeepOf } from "../sending/sending.ts";

/**
 * Sets the restore lock and cancels what the original may do too: pending answers, e-mails, forwarded
 * messages.
 */
export async function keepQuiet(tx: Db, madeAt: string): Promise<Quieted> {
  await writeRestoreLock(tx, madeAt);
  const quieted = await upkeepOf(tx).quiet();
  await interruptAnswers(tx);
  await giveUpMail(tx, "restored");
  await giveUpRelays(tx, "restored");
  await interruptImports(tx);
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
