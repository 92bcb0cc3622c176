import type { Logger } from "pino";
import type { Clock } from "../../domain/clock.ts";
import type { Database, Db } from "../db/client.ts";
import type { Changes } from "../db/live-updates.ts";
import type { Secrets } from "../db/secrets.ts";
import type { FairQueues } from "../jobs/fair-queue.ts";
import type { GuardedFetch } from "../net/guarded-fetch.ts";
import { EvolutionClient } from "../transports/gateway/evolution-client.ts";
import { instanceAccess } from "./access.ts";
import { GapCheck, type GapTimes } from "./gap-check.ts";
import { isPendingInstance } from "./pending-instance.ts";
import { type RelayTimes, RelayWorker } from "./relay.ts";
import { pruneRelays } from "./relay-repo.ts";
import { UnreadQuota } from "./unread-quota.ts";
import { storeUnrecognized } from "./unrecognized-events.ts";
import type { EffectDeps, Intake } from "./webhook-effects.ts";
import type { DoorDeps } from "./webhook-endpoint.ts";
import { openHooks } from "./webhook-hooks.ts";
import { webhookReceiver } from "./webhook-receiver.ts";
import { unreadOf } from "./webhook-repo.ts";
import { webhookStore } from "./webhook-store.ts";
import { EVENT_TURNS, WebhookWorker } from "./webhook-worker.ts";

export type WebhooksDeps = Omit<EffectDeps, "log"> & {
  database: Database;
  secrets: Secrets;
  clock: Clock;
  log: Logger;
  guardedFetch: Pick<GuardedFetch, "fetch">;
  gatewayFetch: Pick<GuardedFetch, "fetch">;
  changes: Pick<Changes, "mark">;
  queues: Pick<FairQueues, "open">;
  /** Its lane asks the gateway. Published at the commit. */
  poke(tx: Db, connectionId: number): Promise<void>;
  /** From gap checks; those of other messages are dropped. */
  settleKnownReceipts: Intake["settleReceipts"];
  relayTimes?: RelayTimes;
  gapTimes?: GapTimes;
  /**
   * Set: another process does the work and is notified. Omitted: this process also processes, relays and
   * checks for gaps.
   */
  elsewhere?: { stored(): void };
};

export type Webhooks = {
  door: DoorDeps;
  wake(): void;
  pruneOld(): Promise<void>;
  /** When no request is running. Unprocessed events stay stored. */
  stop(): Promise<void>;
};

export async function openWebhooks(deps: WebhooksDeps): Promise<Webhooks> {
  const { database, secrets, clock, log, changes } = deps;
  const { db, prepared } = database;
  const mark = changes.mark.bind(changes);
  const hooks = await openHooks(database, secrets, (error) =>
    log.warn({ err: error }, "webhooks could not be read, they are looked up when events come"),
  );
  const work = deps.elsewhere ? null : startWork(deps, mark);
  const store = webhookStore({
    prepared,
    stored: deps.elsewhere?.stored ?? ((accountIds) => work?.wake(accountIds)),
  });
  const quota = new UnreadQuota({
    unreadOf: (...which) => unreadOf(prepared, ...which),
    monotonic: () => clock.monotonic(),
    log,
  });
  const receive = webhookReceiver({
    store,
    log,
    unrecognizedEvent: (...odd) => storeUnrecognized(db, ...odd),
    now: () => clock.now().getTime(),
  });
  return {
    door: { hooks, receive, log, quota, making: (hookId) => isPendingInstance(prepared, hookId) },
    wake: () => work?.wake(),
    pruneOld: () => pruneRelays(db),
    async stop() {
      await store.idle();
      await work?.stop();
      await hooks.close();
    },
  };
}

function startWork(deps: WebhooksDeps, mark: Changes["mark"]) {
  const { database, secrets, log, guardedFetch, gatewayFetch, relayTimes, gapTimes } = deps;
  const { db } = database;
  const relay = new RelayWorker({
    db,
    guardedFetch,
    log,
    mark,
    ...(relayTimes ? { times: relayTimes } : {}),
  });
  const gaps = new GapCheck({
    ...deps,
    settleReceipts: deps.settleKnownReceipts,
    mark,
    access: instanceAccess(db, secrets),
    clientOf: ({ baseUrl, apiKey, provided }) =>
      new EvolutionClient({ guardedFetch: gatewayFetch, baseUrl, apiKey, provided }),
    ...(gapTimes ? { times: gapTimes } : {}),
  });
  const turns = deps.queues.open(EVENT_TURNS);
  const worker = new WebhookWorker({ ...deps, db, mark, turns, relay: () => relay.wake() });
  return {
    wake: (accountIds?: ReadonlySet<string>) => worker.wake(accountIds),
    async stop() {
      await gaps.close();
      await worker.stop();
      await relay.close();
    },
  };
}
