import { AppError } from "../../domain/errors.ts";
import { inTurn } from "../base/in-turn.ts";
import type { Db } from "../db/client.ts";
import { readRestoreLock } from "../db/restore-lock.ts";
import { type HookDeps, setHook } from "./hook.ts";
import { listUnhooked, type Reached } from "./instances-repo.ts";

/** Milliseconds. */
export type HookTimes = {
  /** No further webhook of an account is set in a run after so long: a server may take half a minute over one. */
  account: number;
  /** Nor anybody's: the next run, by chance, begins with others. */
  run: number;
};

export const HOOK_TIMES: HookTimes = { account: 30_000, run: 240_000 };

/** Of a run, so that a new address of ours reaches everybody soon; every account's first comes before anybody's second. */
const BATCH = 500;
/** Accounts whose servers are spoken to at once. Of one account they are spoken to in a row: only its own wait behind a slow one. */
const AT_ONCE = 8;

/** The webhooks that could not be set, tried again: a job, and of an account's server after it was found to reach us. */
export async function setMissingHooks(
  deps: HookDeps,
  db: Db,
  of: { gatewayId: number; accountId: string } | null = null,
  times: HookTimes = HOOK_TIMES,
): Promise<void> {
  if (await readRestoreLock(db)) return;
  const end = performance.now() + times.run;
  const accounts = Map.groupBy(await listUnhooked(db, of, BATCH), (row) => row.account_id);
  const turn = inTurn(AT_ONCE);
  const silent = new Set<number>();
  const done = await Promise.allSettled(
    [...accounts.values()].map((rows) =>
      turn(() => setOf(deps, db, rows, { silent, end: Math.min(end, performance.now() + times.account) })),
    ),
  );
  for (const one of done) if (one.status === "rejected") throw one.reason;
}

async function setOf(
  deps: HookDeps,
  db: Db,
  rows: readonly Reached[],
  { silent, end }: { silent: Set<number>; end: number },
): Promise<void> {
  for (const { connection_id: connectionId, gateway_id: gateway } of rows) {
    if (performance.now() >= end) return;
    // Each of its instances would cost the whole time limit.
    if (silent.has(gateway)) continue;
    await setHook(deps, db, connectionId).catch((error: unknown) => {
      if (!(error instanceof AppError)) throw error;
      if (error.code === "gateway_unreachable") silent.add(gateway);
      deps.log.info({ connectionId, code: error.code }, "webhook of an instance not set");
    });
  }
}
