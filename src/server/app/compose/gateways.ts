import type { Agents } from "../../agents/agents.ts";
import { scaled } from "../../base/time-scale.ts";
import { ownerOf } from "../../db/owner.ts";
import { GAP_TIMES } from "../../gateways/gap-check.ts";
import { type Gateways, openGateways } from "../../gateways/gateways.ts";
import { RELAY_TIMES } from "../../gateways/relay.ts";
import { openWebhooks, type Webhooks } from "../../gateways/webhooks.ts";
import { wake } from "../../sending/sending.ts";
import type { Common } from "./common.ts";
import type { ComposedConnections } from "./connections.ts";
import type { Fetches } from "./fetches.ts";
import type { ComposedIncoming } from "./incoming.ts";

export function composeGateways(
  common: Common,
  fetches: Fetches,
  { links }: Agents,
  { connections, pictureTurns }: ComposedConnections,
): Promise<Gateways> {
  const { config, database, secrets, clock, log, changes } = common;
  return openGateways({
    database,
    secrets,
    clock,
    log,
    changes,
    connections,
    config,
    pictureTurns,
    guardedFetch: fetches.gateway,
    relayGuard: fetches.relay,
    pictureFetch: fetches.picture,
    links: async (owner) => (await links.list(owner)).links,
  });
}

export async function composeWebhooks(
  common: Common,
  fetches: Fetches,
  incoming: ComposedIncoming,
): Promise<Webhooks> {
  const { config, database, secrets, clock, log, changes, queues, signals, works } = common;
  const { intake, settleReceipts, settleKnownReceipts, phone, optOuts } = incoming;
  const webhooks = await openWebhooks({
    database,
    secrets,
    clock,
    log,
    changes,
    queues,
    guardedFetch: fetches.relay,
    gatewayFetch: fetches.missed,
    ...intake,
    settleKnownReceipts,
    settleReceipts,
    readElsewhere: phone.read,
    leaveOut: ({ accountId, connectionId }, person, text) =>
      optOuts.replied(ownerOf(database.db, accountId), { phone: person, text, doubtful: true, connectionId }),
    poke: (db, connectionId) => wake(db, connectionId, "poke"),
    relayTimes: scaled(RELAY_TIMES, config.timeScale),
    gapTimes: scaled(GAP_TIMES, config.timeScale),
    ...(works ? {} : { elsewhere: { stored: () => signals.tell("webhooks") } }),
  });
  signals.hear("webhooks", webhooks.wake);
  return webhooks;
}
