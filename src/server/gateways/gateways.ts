import type { Logger } from "pino";
import type { Clock } from "../../domain/clock.ts";
import { attemptLimit, type Limit } from "../accounts/limits.ts";
import type { Config } from "../base/config.ts";
import type { ConnectionService } from "../connections/service.ts";
import type { Database } from "../db/client.ts";
import type { Changes } from "../db/live-updates.ts";
import { keyHint, type Secrets } from "../db/secrets.ts";
import type { PictureTurns } from "../files/picture-turns.ts";
import type { GuardedFetch } from "../net/guarded-fetch.ts";
import { apiKeyPlace } from "./access.ts";
import { forgetGateway } from "./forget.ts";
import { keepWebhookUrl } from "./hook.ts";
import { type InstanceDeps, type InstanceService, instanceService } from "./instances.ts";
import { setMissingHooks } from "./missing-hooks.ts";
import { pictures } from "./picture.ts";
import { probeArrived, webhookProbe } from "./probe.ts";
import { PROBE_MS } from "./probe-token.ts";
import { keepOperatorGateways } from "./repo.ts";
import { reachBy } from "./server.ts";
import { type GatewayService, gatewayService } from "./service.ts";

export type GatewaysDeps = {
  database: Database;
  secrets: Secrets;
  clock: Clock;
  log: Logger;
  /** Calls gateways. */
  guardedFetch: Pick<GuardedFetch, "fetch">;
  /** Judges people's own webhooks. */
  relayGuard: InstanceDeps["guard"];
  /** Calls where gateways say that a picture is. */
  pictureFetch: Pick<GuardedFetch, "fetch">;
  pictureTurns: PictureTurns;
  changes: Pick<Changes, "mark">;
  connections: Pick<ConnectionService, "forget" | "removeById">;
  config: Pick<Config, "gateways" | "webhookUrl" | "timeScale"> & Partial<Pick<Config, "process">>;
  links: InstanceDeps["links"];
  /** Tests of a server that an account may ask for. */
  tests?: Limit;
};

export type Gateways = {
  service: GatewayService;
  instances: InstanceService;
  /** The event of a test arrived. */
  probeArrived(request: Request, body: AsyncIterable<unknown>): Promise<Response>;
  /** Sets the webhooks that could not be set so far. */
  setMissingHooks(): Promise<void>;
};

const SHORTEST_PROBE_MS = 1_000;
const RELEASE_MS = 1_000;
/** Each makes an instance there, sends, and waits: of the operator's server, which all accounts share, as of anybody's. */
const TESTS: Limit = { attempts: 20, seconds: 10 * 60 };

/** Gateways and their instances, with what the operator's environment says of them brought into the database. */
export async function openGateways(deps: GatewaysDeps): Promise<Gateways> {
  const { database, secrets, clock, log, guardedFetch, relayGuard, config } = deps;
  const { db } = database;
  // One that only works may have been started with less: what the operator says is said to those who serve.
  if (config.process !== "worker") await keepOperators(deps);
  const { webhookUrl } = config;
  const hooks = { secrets, log, webhookUrl, reach: reachBy(guardedFetch), guard: relayGuard };
  const probing = {
    ...{ clock, log, webhookUrl },
    key: secrets.derive("webhook probe"),
    // Test runs are in a hurry, but an event takes its time.
    waitMs: Math.max(SHORTEST_PROBE_MS, PROBE_MS * config.timeScale),
  };
  return {
    service: gatewayService({
      ...{ secrets, reach: hooks.reach, changes: deps.changes },
      probe: webhookProbe(probing),
      limitTests: attemptLimit(database, "gateway-test", deps.tests ?? TESTS),
      forget: (owner, id) => forgetGateway({ ...hooks, connections: deps.connections }, owner, id),
      setHooks: ({ accountId }, gatewayId) => setMissingHooks(hooks, db, { gatewayId, accountId }),
    }),
    instances: instanceService({
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

async function keepOperators({ database: { db }, secrets, config }: GatewaysDeps): Promise<void> {
  await keepOperatorGateways(db, config.gateways, (id, apiKey) => ({
    sealed: secrets.seal(apiKey, apiKeyPlace(id)),
    hint: keyHint(apiKey),
  }));
  await keepWebhookUrl(db, config.webhookUrl);
}
