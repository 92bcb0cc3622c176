import type { Agents } from "../../agents/agents.ts";
import type { FileFetcher } from "../../chat/file-fetcher.ts";
import type { Importer } from "../../contacts/importer.ts";
import type { Webhooks } from "../../gateways/webhooks.ts";
import type { NotificationsFeature } from "../../notifications/notifications.ts";
import type { OutboxWaiter, Sending } from "../../sending/sending.ts";
import type { ComposedAccounts } from "./accounts.ts";
import type { Common } from "./common.ts";
import type { Fetches } from "./fetches.ts";

type Started = {
  notifications: NotificationsFeature;
  sessionEnds: ComposedAccounts["sessionEnds"];
  agents: Agents;
  fetches: Fetches;
  outbox: OutboxWaiter;
  /** Null in a process that only serves pages. */
  sending: Sending | null;
  fetcher: FileFetcher;
  webhooks: Webhooks;
  importer: Importer;
};

export type Stops = {
  /** Claims nothing more and releases the lanes after sends in flight. Requests may still run. */
  stopSending(): Promise<void>;
  standStill(): Promise<void>;
  stop(): Promise<void>;
};

export function stopsOf({ jobs, signals }: Common, started: Started): Stops {
  const { notifications, sessionEnds, agents, fetches, outbox, sending, fetcher, webhooks, importer } =
    started;
  const stopSending = onlyOnce(async () => sending?.close());
  const standStill = onlyOnce(async () => {
    await Promise.all([fetcher.close(), stopSending()]);
    await signals.close();
    await Promise.all([jobs.stop(), agents.finish()]);
    await notifications.close();
    await sending?.stop();
    await webhooks.stop();
    await importer.stop();
  });
  return {
    stopSending,
    standStill,
    async stop() {
      await standStill();
      await outbox.close();
      await sessionEnds.close();
      await Promise.all([...Object.values(fetches), agents].map((one) => one.close()));
    },
  };
}

function onlyOnce(work: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | null = null;
  return () => {
    done ??= work();
    return done;
  };
}
