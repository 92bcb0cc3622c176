import type { Logger } from "pino";
import type { Clock } from "../../domain/clock.ts";
import type { Database, Db } from "../db/client.ts";
import type { Changes } from "../db/live-updates.ts";
import type { Secrets } from "../db/secrets.ts";
import type { FairQueues } from "../jobs/fair-queue.ts";
import type { GuardedFetch } from "../net/guarded-fetch.ts";
import { evolutionClient } from "../transports/gateway/evolution-client.ts";
import { instanceAccess } from "./access.ts";
import { type GapTimes, startGapCheck } from "./gap-check.ts";
import { isPendingInstance } from "./pending-instance.ts";
import { type RelayTimes, startRelay } from "./relay.ts";
import { forgetRelays } from "./relay-repo.ts";
import { UnreadQuota } from "./unread-quota.ts";
import { keepUnrecognized } from "./unrecognized-events.ts";
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
  /** Calls people's own addresses. */
  guardedFetch: Pick<GuardedFetch, "fetch">;
  /** Calls gateways. */
  gatewayFetch: Pick<GuardedFetch, "fetch">;
  changes: Pick<Changes, "mark">;
  queues: Pick<FairQueues, "open">;
  /** The gateway of an instance has news of its state or QR code: its lane asks. Told when the transaction commits. */
  poke(tx: Db, connectionId: number): Promise<void>;
  /** Receipts that the gateway was asked for: those of messages that are not ours are dropped. */
  settleKnownReceipts: Intake["settleReceipts"];
  relayTimes?: RelayTimes;
  gapTimes?: GapTimes;
  /**
   * Where another process works: how it is told that something was stored. This one then only receives. Left out: it takes in what
   * is stored, passes it on and asks gateways for what they did not tell.
   */
  elsewhere?: { stored(): void };
};

export type Webhooks = {
  /** What the route needs: mountWebhooks in webhook-door.ts. */
  door: DoorDeps;
  /** Another process stored something. */
  wake(): void;
  /** For a job once an hour. */
  forgetOld(): Promise<void>;
  /** Called when no request is running any more. What is stored and not taken in stays for the next start. */
  stop(): Promise<void>;
};

/** What gateways tell us: received and stored, taken in, passed on; and asked for where they were silent. */
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
    ...{ store, log },
    unrecognizedEvent: (...odd) => keepUnrecognized(db, ...odd),
    now: () => clock.now().getTime(),
  });
  return {
    door: { hooks, receive, log, quota, making: (hookId) => isPendingInstance(prepared, hookId) },
    wake: () => work?.wake(),
    forgetOld: () => forgetRelays(db),
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
  const relay = startRelay({ db, guardedFetch, log, mark, ...(relayTimes ? { times: relayTimes } : {}) });
  const gaps = startGapCheck({
    ...{ ...deps, settleReceipts: deps.settleKnownReceipts, mark },
    access: instanceAccess(db, secrets),
    clientOf: ({ baseUrl, apiKey, provided }) =>
      evolutionClient({ guardedFetch: gatewayFetch, baseUrl, apiKey, provided }),
    ...(gapTimes ? { times: gapTimes } : {}),
  });
  const turns = deps.queues.open(EVENT_TURNS);
  const worker = new WebhookWorker({ ...deps, db, mark, turns, relay: relay.wake });
  return {
    wake: (accountIds?: ReadonlySet<string>) => worker.wake(accountIds),
    async stop() {
      await gaps.stop();
      await worker.stop();
      await relay.stop();
    },
  };
}
