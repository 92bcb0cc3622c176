import type { Logger } from "pino";
import type { Clock } from "../../domain/clock.ts";
import type { Db } from "../db/client.ts";
import { type Owner, ownerOf } from "../db/owner.ts";
import { tellWork } from "../db/work-signals.ts";
import { accountSendingOf } from "../sending/sending.ts";
import { type ProveDeps, provePassword } from "./prove-password.ts";
import {
  closeAccount,
  deleteAccount,
  deletePosted,
  deleteSome,
  findConnections,
  findRemoved,
  forgetPerson,
} from "./removal-repo.ts";
import { deleteSessionsOf } from "./repo.ts";

/** Rows per statement, to keep locks short. */
const BATCH = 5_000;
/** Then connections are deleted anyway: an unreachable device would keep the account for ever. */
const LOGOUT_MS = 2 * 60_000;
const JOB_MS = 60_000;
const AGAIN_MS = 2_000;
/** It may have waited a minute for a lock: other accounts come first. */
const FAILED_MS = 60_000;

export type RemovalDeps = ProveDeps & {
  db: Db;
  clock: Clock;
  log: Logger;
  connections: {
    /** Logs devices out; releases instances unchanged. */
    removeAll(owner: Owner): Promise<void>;
    forget(owner: Owner, ids: readonly number[], also: () => Promise<void>): Promise<void>;
  };
  forgetImports(owner: Owner): Promise<void>;
  /** With `tx`: when it commits. */
  ask(delayMs: number, tx?: Db): Promise<void>;
};

export type AccountRemoval = {
  /** Requires the password. At once and for good; jobs delete the data. */
  remove(owner: Owner, password: string): Promise<void>;
  /** A failed account is retried later. */
  work(): Promise<void>;
};

export const ACCOUNT_CLOSED = "account closed";

/** Without its password; worker processes delete the data. */
export async function closeByOperator(owner: Owner, { clock }: { clock: Clock }): Promise<void> {
  await owner.db.transaction().execute(async (tx) => {
    await closeAccount(owner.in(tx), clock.now());
    await deleteSessionsOf(owner.in(tx));
    await tellWork(tx, ACCOUNT_CLOSED);
  });
  await accountSendingOf(owner).cancelAll();
}

export function accountRemoval(deps: RemovalDeps): AccountRemoval {
  const { db, clock, log } = deps;

  const resting = new Map<string, number>();

  async function stop(owner: Owner): Promise<void> {
    await accountSendingOf(owner).cancelAll();
    await deletePosted(owner);
    await deps.connections.removeAll(owner);
  }

  async function takeAway(owner: Owner, removedAt: Date, untilMs: number): Promise<boolean> {
    // A concurrent sign-in or setup may have committed since.
    await db.transaction().execute((tx) => closeAccount(owner.in(tx), removedAt));
    await deleteSessionsOf(owner);
    await deps.forgetImports(owner);
    await stop(owner);
    await forgetPerson(owner);
    while (await deleteSome(owner, BATCH)) if (clock.monotonic() > untilMs) return false;
    const left = await findConnections(owner);
    if (left.length > 0 && clock.now().getTime() - removedAt.getTime() < LOGOUT_MS) return false;
    if (left.length > 0) {
      log.warn({ connections: left }, "devices of a deleted account did not log out");
      await deps.connections.forget(owner, left, async () => undefined);
    }
    await deleteAccount(owner);
    log.info({ accountId: owner.accountId }, "account deleted");
    return true;
  }

  return {
    async remove(owner, password) {
      const stillProved = await provePassword(deps, owner, password);
      await db.transaction().execute(async (tx) => {
        await stillProved(owner.in(tx));
        await closeAccount(owner.in(tx), clock.now());
        await deleteSessionsOf(owner.in(tx));
        // With the commit: after a crash no one could stop the campaigns.
        await deps.ask(0, tx);
      });
      log.info({ accountId: owner.accountId }, "account closed");
      // At once, as promised: a job may be busy for minutes. After an error the next job does it.
      await accountSendingOf(owner)
        .cancelAll()
        .catch((error: unknown) => log.warn({ err: error }, "campaigns of a closed account not stopped yet"));
      // Again: the first, before the commit, signalled no one.
      await deps.ask(0).catch((error: unknown) => log.warn({ err: error }, "account not taken away yet"));
    },

    async work() {
      const untilMs = clock.monotonic() + JOB_MS;
      let more = false;
      for (const [id, until] of resting) if (until <= clock.monotonic()) resting.delete(id);
      const removed = await findRemoved(db);
      const each = async (act: (owner: Owner, removedAt: Date) => Promise<void>) => {
        for (const { id, removedAt } of removed) {
          if (resting.has(id)) continue;
          await act(ownerOf(db, id), removedAt).catch((error: unknown) => {
            resting.set(id, clock.monotonic() + FAILED_MS);
            log.error({ err: error, accountId: id }, "a deleted account could not be taken away");
          });
        }
      };
      // All are stopped first, as deleting one may take many jobs.
      await each(stop);
      await each(async (owner, removedAt) => {
        if (clock.monotonic() > untilMs || !(await takeAway(owner, removedAt, untilMs))) more = true;
      });
      if (more || resting.size > 0) await deps.ask(more ? AGAIN_MS : FAILED_MS);
    },
  };
}
