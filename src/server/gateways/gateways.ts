import type { Logger } from "pino";
import type { Clock } from "../../domain/clock.ts";
import type { Config } from "../base/config.ts";
import type { ConnectionService } from "../connections/service.ts";
import type { Database } from "../db/client.ts";
import type { Changes } from "../db/live-updates.ts";
import { attemptLimit, type Limit } from "../db/rate-limit.ts";
import { keyHint, type Secrets } from "../db/secrets.ts";
import type { PictureTurns } from "../files/service.ts";
import type { GuardedFetch } from "../net/guarded-fetch.ts";
import { apiKeyPlace } from "./access.ts";
import { forgetGateway } from "./forget.ts";
import { storeWebhookUrl } from "./hook.ts";
import { type InstanceDeps, InstanceService } from "./instances.ts";
import { setMissingHooks } from "./missing-hooks.ts";
import { pictures } from "./picture.ts";
import { probeArrived, webhookProbe } from "./probe.ts";
import { PROBE_MS } from "./probe-token.ts";
import { upsertOperatorGateways } from "./repo.ts";
import { reachBy } from "./server.ts";
import { GatewayService } from "./service.ts";

export type GatewaysDeps = {
  database: Database;
  secrets: Secrets;
  clock: Clock;
  log: Logger;
  guardedFetch: Pick<GuardedFetch, "fetch">;
  relayGuard: InstanceDeps["guard"];
  pictureFetch: Pick<GuardedFetch, "fetch">;
  pictureTurns: PictureTurns;
  changes: Pick<Changes, "mark">;
  connections: Pick<ConnectionService, "forget" | "removeById">;
  config: Pick<Config, "gateways" | "webhookUrl" | "timeScale"> & Partial<Pick<Config, "process">>;
  links: InstanceDeps["links"];
  tests?: Limit;
};

export type Gateways = {
  service: GatewayService;
  instances: InstanceService;
  probeArrived(request: Request, body: AsyncIterable<unknown>): Promise<Response>;
  setMissingHooks(): Promise<void>;
};

const SHORTEST_PROBE_MS = 1_000;
const RELEASE_MS = 1_000;
/** Each test creates an instance and waits, even on shared servers. */
const TESTS: Limit = { attempts: 20, seconds: 10 * 60 };

/** Also stores the operator's servers from the environment. */
export async function openGateways(deps: GatewaysDeps): Promise<Gateways> {
  const { database, secrets, clock, log, guardedFetch, relayGuard, config } = deps;
  const { db } = database;
  // A worker may have less configuration.
  if (config.process !== "worker") await upsertOperators(deps);
  const { webhookUrl } = config;
  const hooks = { secrets, log, webhookUrl, reach: reachBy(guardedFetch), guard: relayGuard };
  const probing = {
    clock,
    log,
    webhookUrl,
    key: secrets.derive("webhook probe"),
    waitMs: Math.max(SHORTEST_PROBE_MS, PROBE_MS * config.timeScale),
  };
  return {
    service: new GatewayService({
      secrets,
      reach: hooks.reach,
      changes: deps.changes,
      probe: webhookProbe(probing),
      limitTests: attemptLimit(database, "gateway-test", deps.tests ?? TESTS),
      forget: (owner, id) => forgetGateway({ ...hooks, connections: deps.connections }, owner, id),
      setHooks: ({ accountId }, gatewayId) => setMissingHooks(hooks, db, { gatewayId, accountId }),
    }),
    instances: new InstanceService({
      ...hooks,
      changes: deps.changes,
      releaseMs: RELEASE_MS * config.timeScale,
      removeConnection: (owner, id) => deps.connections.removeById(owner, id, "instance_removed"),
      pictureOf: pictures({ guardedFetch: deps.pictureFetch, clock, turns: deps.pictureTurns }),
      links: deps.links,
    }),
    probeArrived: (request, body) => probeArrived(probing, db, request, body),
    setMissingHooks: () => setMissingHooks(hooks, db),
  };
}

async function upsertOperators({ database: { db }, secrets, config }: GatewaysDeps): Promise<void> {
  await upsertOperatorGateways(db, config.gateways, (id, apiKey) => ({
    sealed: secrets.seal(apiKey, apiKeyPlace(id)),
    hint: keyHint(apiKey),
  }));
  await storeWebhookUrl(db, config.webhookUrl);
}
