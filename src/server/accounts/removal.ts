import type { Logger } from "pino";
import type { Clock } from "../../domain/clock.ts";
import { connectionReads } from "../connections/service.ts";
import type { Db } from "../db/client.ts";
import { type Owner, ownerOf } from "../db/owner.ts";
import { notifyWork } from "../db/work-signals.ts";
import { accountSendingOf } from "../sending/sending.ts";
import { type ProveDeps, provePassword } from "./prove-password.ts";
import {
  closeAccount,
  deleteAccount,
  deletePerson,
  deletePosted,
  deleteSome,
  findRemoved,
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
  pruneImports(owner: Owner): Promise<void>;
  /** With `tx`: when it commits. */
  ask(delayMs: number, tx?: Db): Promise<void>;
};

export const ACCOUNT_CLOSED = "account closed";

/** Without its password; worker processes delete the data. */
export async function closeByOperator(owner: Owner, { clock }: { clock: Clock }): Promise<void> {
  await owner.db.transaction().execute(async (tx) => {
    await closeAccount(owner.in(tx), clock.now());
    await deleteSessionsOf(owner.in(tx));
    await notifyWork(tx, ACCOUNT_CLOSED);
  });
  await accountSendingOf(owner).cancelAll();
}

type Removed = { owner: Owner; removedAt: Date };

export class AccountRemoval {
  readonly #deps: RemovalDeps;
  /** Accounts whose removal failed, until when they rest (monotonic). */
  readonly #resting = new Map<string, number>();

  constructor(deps: RemovalDeps) {
    this.#deps = deps;
  }

  /** Requires the password. At once and for good; jobs delete the data. */
  async remove(owner: Owner, password: string): Promise<void> {
    const { db, clock, log, ask } = this.#deps;
    const stillProved = await provePassword(this.#deps, owner, password);
    await db.transaction().execute(async (tx) => {
      await stillProved(owner.in(tx));
      await closeAccount(owner.in(tx), clock.now());
      await deleteSessionsOf(owner.in(tx));
      // With the commit: after a crash no one could stop the campaigns.
      await ask(0, tx);
    });
    log.info({ accountId: owner.accountId }, "account closed");
    await accountSendingOf(owner)
      .cancelAll()
      .catch((error: unknown) => log.warn({ err: error }, "campaigns of a closed account not stopped yet"));
    // Again: the first, before the commit, signalled no one.
    await ask(0).catch((error: unknown) => log.warn({ err: error }, "account not taken away yet"));
  }

  /** A failed account is retried later. */
  async work(): Promise<void> {
    const { db, clock, ask } = this.#deps;
    const untilMs = clock.monotonic() + JOB_MS;
    for (const [id, until] of this.#resting) if (until <= clock.monotonic()) this.#resting.delete(id);
    const removed = (await findRemoved(db)).map(({ id, removedAt }) => ({
      owner: ownerOf(db, id),
      removedAt,
    }));
    // All are stopped first, as deleting one may take many jobs.
    await this.#each(removed, ({ owner }) => this.#stop(owner));
    let more = false;
    await this.#each(removed, async (one) => {
      if (clock.monotonic() > untilMs || !(await this.#takeAway(one, untilMs))) more = true;
    });
    if (more || this.#resting.size > 0) await ask(more ? AGAIN_MS : FAILED_MS);
  }

  async #each(removed: readonly Removed[], act: (one: Removed) => Promise<void>): Promise<void> {
    const { clock, log } = this.#deps;
    for (const one of removed) {
      const { accountId } = one.owner;
      if (this.#resting.has(accountId)) continue;
      await act(one).catch((error: unknown) => {
        this.#resting.set(accountId, clock.monotonic() + FAILED_MS);
        log.error({ err: error, accountId }, "a deleted account could not be taken away");
      });
    }
  }

  async #stop(owner: Owner): Promise<void> {
    await accountSendingOf(owner).cancelAll();
    await deletePosted(owner);
    await this.#deps.connections.removeAll(owner);
  }

  /** Answers false while data or a device is left. */
  async #takeAway({ owner, removedAt }: Removed, untilMs: number): Promise<boolean> {
    const { db, clock, log, connections, pruneImports } = this.#deps;
    // A concurrent sign-in or setup may have committed since.
    await db.transaction().execute((tx) => closeAccount(owner.in(tx), removedAt));
    await deleteSessionsOf(owner);
    await pruneImports(owner);
    await this.#stop(owner);
    await deletePerson(owner);
    while (await deleteSome(owner, BATCH)) if (clock.monotonic() > untilMs) return false;
    const left = await connectionReads.findIds(owner);
    if (left.length > 0 && clock.now().getTime() - removedAt.getTime() < LOGOUT_MS) return false;
    if (left.length > 0) {
      log.warn({ connections: left }, "devices of a deleted account did not log out");
      await connections.forget(owner, left, async () => undefined);
    }
    await deleteAccount(owner);
    log.info({ accountId: owner.accountId }, "account deleted");
    return true;
  }
}
