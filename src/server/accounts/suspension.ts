import type { Clock } from "../../domain/clock.ts";
import { record } from "../audit/service.ts";
import type { Owner } from "../db/owner.ts";
import { readSuspended } from "../db/suspended.ts";
import { accountSendingOf } from "../sending/sending.ts";
import { deleteSessionsOf, markSuspended, unmarkSuspended } from "./repo.ts";

export type SuspensionDeps = {
  clock: Pick<Clock, "now" | "monotonic">;
  releaseImports(owner: Owner): Promise<void>;
  pause(ms: number): Promise<void>;
};

/** Longer than in-flight messages and a lease take. */
const LANES_MS = 40_000;
const LOOK_MS = 250;

export type Suspended = {
  /** Suspended before; anything started since is stopped. */
  already: boolean;
  sessions: number;
  campaigns: number;
  singles: number;
  owned: number;
};

export async function suspendAccount(owner: Owner, deps: SuspensionDeps): Promise<Suspended> {
  const { already, sessions } = await owner.db.transaction().execute(async (tx) => {
    const inside = owner.in(tx);
    const marked = await markSuspended(inside, deps.clock.now());
    if (marked) await record(inside, { kind: "account_suspended" });
    return { already: !marked, sessions: await deleteSessionsOf(inside) };
  });
  const sending = accountSendingOf(owner);
  const campaigns = await sending.pauseAll();
  await deps.releaseImports(owner);
  const until = deps.clock.monotonic() + LANES_MS;
  let owned = await sending.countOwned();
  while (owned > 0 && deps.clock.monotonic() < until) {
    await deps.pause(LOOK_MS);
    owned = await sending.countOwned();
  }
  return { already, sessions, campaigns, singles: await sending.endDirectMessages(), owned };
}

/**
 * Sends nothing by itself: campaigns wait for their owner, pending messages have ended. False when not
 * suspended.
 */
export async function resumeAccount(owner: Owner): Promise<boolean> {
  if (!(await readSuspended(owner))) return false;
  // Without locks: it waits for campaigns being started.
  await accountSendingOf(owner).pauseAll();
  return owner.db.transaction().execute(async (tx) => {
    const inside = owner.in(tx);
    if (!(await unmarkSuspended(inside))) return false;
    await accountSendingOf(inside).endDirectMessages();
    await record(inside, { kind: "account_resumed" });
    await accountSendingOf(inside).wakeAll();
    return true;
  });
}
