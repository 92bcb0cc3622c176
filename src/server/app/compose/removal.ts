import { ACCOUNT_CLOSED, AccountRemoval } from "../../accounts/removal.ts";
import type { ConnectionService } from "../../connections/service.ts";
import { pruneImports } from "../../contacts/forget.ts";
import type { Spool } from "../../contacts/spool.ts";
import type { ComposedAccounts } from "./accounts.ts";
import type { Common } from "./common.ts";

/** Accounts that their owners deleted. */
export async function composeRemoval(
  common: Common,
  { hasher, guard }: ComposedAccounts,
  connections: ConnectionService,
  spool: Spool,
): Promise<AccountRemoval> {
  const { database, clock, log, jobs, signals, works } = common;
  const removals = await jobs.queue({
    name: "remove-accounts",
    workers: 1,
    silenceSeconds: 30,
    pollMs: 5_000,
  });
  const removal = new AccountRemoval({
    db: database.db,
    clock,
    log,
    hasher,
    guard,
    connections,
    pruneImports: (owner) => pruneImports(owner, spool),
    ask: (delayMs, tx) => removals.put("removed", {}, delayMs, tx),
  });
  signals.hear(ACCOUNT_CLOSED, () => {
    removals
      .put("removed", {}, 0)
      .catch((error: unknown) => log.warn({ err: error }, "closed account not taken away yet"));
  });
  if (works) {
    await removals.work(() => removal.work());
    await removals.put("removed", {}, 0);
  }
  return removal;
}
