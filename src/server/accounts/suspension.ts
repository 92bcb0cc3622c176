import type { Clock } from "../../domain/clock.ts";
import { record } from "../audit/service.ts";
import type { Owner } from "../db/owner.ts";
import { readSuspended } from "../db/suspended.ts";
import {
  countOwned,
  endWaitingSingles,
  stopSending,
  wakeConnections,
} from "../sending/ownership/suspension.ts";
import { deleteSessionsOf, markSuspended, unmarkSuspended } from "./repo.ts";

export type SuspensionDeps = {
  clock: Pick<Clock, "now" | "monotonic">;
  /** Stops what is being imported for an account; nothing is kept of it. */
  releaseImports(owner: Owner): Promise<void>;
  pause(ms: number): Promise<void>;
};

/** Longer than a lane takes for what is on its wire, and than a lease lasts. */
const LANES_MS = 40_000;
const LOOK_MS = 250;

export type Suspended = {
  /** It was suspended before: what had begun all the same is stopped now. */
  already: boolean;
  sessions: number;
  campaigns: number;
  singles: number;
  /** Connections that a process has not given up yet. */
  owned: number;
};

/**
 * No person and no key gets into the account, and nothing is sent or asked for in its name, until it is resumed. Its numbers stay linked,
 * its webhooks are taken in, and people who write that they want to leave are recorded. Waits until its lanes were given up.
 */
export async function suspendAccount(owner: Owner, deps: SuspensionDeps): Promise<Suspended> {
  const { already, sessions } = await owner.db.transaction().execute(async (tx) => {
    const inside = owner.in(tx);
    const marked = await markSuspended(inside, deps.clock.now());
    if (marked) await record(inside, { kind: "account_suspended" });
    return { already: !marked, sessions: await deleteSessionsOf(inside) };
  });
  const campaigns = await stopSending(owner);
  await deps.releaseImports(owner);
  const until = deps.clock.monotonic() + LANES_MS;
  let owned = await countOwned(owner);
  while (owned > 0 && deps.clock.monotonic() < until) {
    await deps.pause(LOOK_MS);
    owned = await countOwned(owner);
  }
  return { already, sessions, campaigns, singles: await endWaitingSingles(owner), owned };
}

/**
 * Everything may go on, and nothing goes out by itself: campaigns wait until their owner continues them, and messages that waited have
 * ended. False when the account was not suspended.
 */
export async function resumeAccount(owner: Owner): Promise<boolean> {
  if (!(await readSuspended(owner))) return false;
  // With nothing in hand: it waits for campaigns that are being started.
  await stopSending(owner);
  return owner.db.transaction().execute(async (tx) => {
    const inside = owner.in(tx);
    if (!(await unmarkSuspended(inside))) return false;
    await endWaitingSingles(inside);
    await record(inside, { kind: "account_resumed" });
    await wakeConnections(inside);
    return true;
  });
}
