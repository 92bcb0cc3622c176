import type { Logger } from "pino";
import type { Clock } from "../../domain/clock.ts";
import type { Db } from "../db/client.ts";
import { type Owner, ownerOf } from "../db/owner.ts";
import { tellWork } from "../db/work-signals.ts";
import { type ProveDeps, provePassword } from "./prove-password.ts";
import {
  cancelCampaigns,
  closeAccount,
  deleteAccount,
  deletePosted,
  deleteSome,
  findConnections,
  findRemoved,
  forgetPerson,
} from "./removal-repo.ts";
import { deleteSessionsOf } from "./repo.ts";

/** Rows of one statement: short enough to disturb nobody. */
const BATCH = 5_000;
/** How long devices have to log out. Then their connections go without: one that nobody can open would keep the account for ever. */
const LOGOUT_MS = 2 * 60_000;
/** One job's time; the rest is for the next. */
const JOB_MS = 60_000;
/** When to look again for what is still going on. */
const AGAIN_MS = 2_000;
/** When to try one again whose removal failed, perhaps after a minute of waiting for a lock: meanwhile it is the others' turn. */
const FAILED_MS = 60_000;

export type RemovalDeps = ProveDeps & {
  db: Db;
  clock: Clock;
  log: Logger;
  connections: {
    /** Devices are to log out; instances are let go as they are. */
    removeAll(owner: Owner): Promise<void>;
    forget(owner: Owner, ids: readonly number[], also: () => Promise<void>): Promise<void>;
  };
  forgetImports(owner: Owner): Promise<void>;
  /** Asks for `work` in a job, after a while; of one that is there with the transaction's commit, where that is given. */
  ask(delayMs: number, tx?: Db): Promise<void>;
};

export type AccountRemoval = {
  /** Closes the account at once and for good; what it has left is taken away by jobs. Asks for the password. */
  remove(owner: Owner, password: string): Promise<void>;
  /** What a job does: takes away what is left of closed accounts, as much as fits into its time. One that fails is tried again later. */
  work(): Promise<void>;
};

/** The signal to processes that work: an operator's command has closed an account. */
export const ACCOUNT_CLOSED = "account closed";

/** Closes an account as its owner would, by the operator's word; what it has left is taken away by the processes that work. */
export async function closeByOperator(owner: Owner, { clock }: { clock: Clock }): Promise<void> {
  await owner.db.transaction().execute(async (tx) => {
    await closeAccount(owner.in(tx), clock.now());
    await deleteSessionsOf(owner.in(tx));
    await tellWork(tx, ACCOUNT_CLOSED);
  });
  await cancelCampaigns(owner);
}

export function accountRemoval(deps: RemovalDeps): AccountRemoval {
  const { db, clock, log } = deps;

  /** Failed; not tried before this time (monotonic ms). */
  const resting = new Map<string, number>();

  /** Nothing more is sent, and numbers begin to log out. */
  async function stop(owner: Owner): Promise<void> {
    await cancelCampaigns(owner);
    await deletePosted(owner);
    await deps.connections.removeAll(owner);
  }

  /** True when nothing is left. */
  async function takeAway(owner: Owner, removedAt: Date, untilMs: number): Promise<boolean> {
    // Again each time: whoever was signing in or setting something up at that very moment may have been later.
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
        // Nobody could stop its campaigns any more, nor ask again, should this process end with the commit.
        await deps.ask(0, tx);
      });
      log.info({ accountId: owner.accountId }, "account closed");
      // At once, as the page says: a job may have another account in hand for minutes. Should this fail, the next look finds it.
      await cancelCampaigns(owner).catch((error: unknown) =>
        log.warn({ err: error }, "campaigns of a closed account not stopped yet"),
      );
      // The same here; put before it was committed, the job has told nobody of itself.
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
      // First all of them: to take one away may last many jobs, and the others wait for that.
      await each(stop);
      await each(async (owner, removedAt) => {
        if (clock.monotonic() > untilMs || !(await takeAway(owner, removedAt, untilMs))) more = true;
      });
      if (more || resting.size > 0) await deps.ask(more ? AGAIN_MS : FAILED_MS);
    },
  };
}
