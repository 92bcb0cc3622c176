import type { Logger } from "pino";
import type { Clock } from "../../domain/clock.ts";
import type { Changes } from "../changes.ts";
import type { Database, Db } from "../db/client.ts";
import type { GuardedFetch } from "../net/guarded-fetch.ts";
import type { Secrets } from "../secrets.ts";
import { evolutionClient } from "../transports/gateway/evolution-client.ts";
import { instanceAccess } from "./access.ts";
import { type GapTimes, startGapCheck } from "./gap-check.ts";
import { type RelayTimes, startRelay } from "./relay.ts";
import { forgetRelays } from "./relay-repo.ts";
import type { DoorDeps } from "./webhook-door.ts";
import type { Intake } from "./webhook-effects.ts";
import { openHooks } from "./webhook-hooks.ts";
import { keepOddity } from "./webhook-oddities.ts";
import { webhookReceiver } from "./webhook-receiver.ts";
import { webhookStore } from "./webhook-store.ts";
import { startWebhookWorker } from "./webhook-worker.ts";

export type WebhooksDeps = Intake & {
  database: Database;
  secrets: Secrets;
  clock: Clock;
  log: Logger;
  guardedFetch: Pick<GuardedFetch, "fetch">;
  changes: Pick<Changes, "mark">;
  /** The gateway of an instance has news of its state or QR code: its lane asks. Told when the transaction commits. */
  poke(tx: Db, connectionId: number): Promise<void>;
  /** Receipts that the gateway was asked for: those of messages that are not ours are dropped. */
  settleKnownReceipts: Intake["settleReceipts"];
  relayTimes?: RelayTimes;
  gapTimes?: GapTimes;
  making?: DoorDeps["making"];
};

export type Webhooks = {
  /** What the route needs: mountWebhooks in webhook-door.ts. */
  door: DoorDeps;
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
  const hooks = await openHooks(database, secrets);
  const { guardedFetch, relayTimes, gapTimes } = deps;
  const relay = startRelay({ db, guardedFetch, log, mark, ...(relayTimes ? { times: relayTimes } : {}) });
  const gaps = startGapCheck({
    ...{ ...deps, settleReceipts: deps.settleKnownReceipts },
    access: instanceAccess(db, secrets),
    clientOf: ({ baseUrl, apiKey }) => evolutionClient({ guardedFetch, baseUrl, apiKey }),
    ...(gapTimes ? { times: gapTimes } : {}),
  });
  const worker = startWebhookWorker({ ...deps, db, mark, relay: relay.wake });
  const store = webhookStore({ prepared, stored: worker.wake });
  const receive = webhookReceiver({
    ...{ store, log },
    oddity: (...odd) => keepOddity(db, ...odd),
    now: () => clock.now().getTime(),
  });
  return {
    door: { hooks, receive, log, ...(deps.making ? { making: deps.making } : {}) },
    forgetOld: () => forgetRelays(db),
    async stop() {
      await store.idle();
      await gaps.stop();
      await worker.stop();
      await relay.stop();
      await hooks.close();
    },
  };
}
