import { AppError } from "../../domain/errors.ts";
import { inTurn } from "../base/in-turn.ts";
import type { Db } from "../db/client.ts";
import { readRestoreLock } from "../db/restore-lock.ts";
import { type HookDeps, setHook } from "./hook.ts";
import { listUnhooked, type Reached } from "./instances-repo.ts";

export type HookTimes = {
  /** Per account and run: a slow server may take half a minute each. */
  account: number;
  /** The next run starts in another random order. */
  run: number;
};

export const HOOK_TIMES: HookTimes = { account: 30_000, run: 240_000 };

/** Each account's first instance precedes any second. */
const BATCH = 500;
/** Accounts at once, each sequentially: a slow server delays only its own. */
const AT_ONCE = 8;

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
    // Its other instances would each wait for the timeout.
    if (silent.has(gateway)) continue;
    await setHook(deps, db, connectionId).catch((error: unknown) => {
      if (!(error instanceof AppError)) throw error;
      if (error.code === "gateway_unreachable") silent.add(gateway);
      deps.log.info({ connectionId, code: error.code }, "webhook of an instance not set");
    });
  }
}
