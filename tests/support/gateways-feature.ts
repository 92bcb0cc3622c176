import pino from "pino";
import { afterAll, afterEach } from "vitest";
import { type Evolution, startEvolution } from "../../simulators/evolution/evolution.ts";
import type { Gateway, Instance } from "../../src/contract/gateways.ts";
import { systemClock } from "../../src/server/base/clock.ts";
import type { Config } from "../../src/server/base/config.ts";
import { mountConnections } from "../../src/server/connections/routes.ts";
import { ConnectionService } from "../../src/server/connections/service.ts";
import { openLiveUpdates } from "../../src/server/db/live-updates.ts";
import { createSecrets } from "../../src/server/db/secrets.ts";
import { openGateways } from "../../src/server/gateways/gateways.ts";
import { mountGateways } from "../../src/server/gateways/routes.ts";
import { createApp } from "../../src/server/http/app.ts";
import { listenHttp } from "../../src/server/http/listen.ts";
import { readPrivateHosts } from "../../src/server/net/addresses.ts";
import { openGuardedFetch } from "../../src/server/net/guarded-fetch.ts";
import type { LookupAll } from "../../src/server/net/name-servers.ts";
import { openOutboxWaiter } from "../../src/server/sending/outbox/waiter.ts";
import type { TestDatabase } from "./database.ts";
import { pictureTurns, testFiles } from "./file-service.ts";
import { openServices } from "./open-services.ts";
import { freePort } from "./ports.ts";
import { makeAccount } from "./sending.ts";

export const TEST_SECRETS = createSecrets(Buffer.alloc(32, 7).toString("base64"));

type Answer<T> = { status: number; body: T; headers: Headers };

/** «interno» names resolve to internal addresses, «nada» to none, all others to public ones. */
const namesOf: LookupAll = (name, _options, callback) =>
  name.endsWith(".nada")
    ? callback(Object.assign(new Error("no such name"), { code: "ENOTFOUND" }), [])
    : callback(null, [{ address: name.endsWith(".interno") ? "10.0.0.9" : "93.184.215.14", family: 4 }]);

export async function gatewaysFeature(
  { db, database }: TestDatabase,
  config: Partial<Config> = {},
  /** How long the end of a session is waited for; a lane must run. */
  ownerMs = 50,
  privateHosts = "127.0.0.1",
) {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const seen: string[] = [];
  const log = pino({ level: "trace" }, { write: (line: string) => void seen.push(line) });
  const changes = await openLiveUpdates(database, log);
  const guardedFetch = openGuardedFetch({ privateHosts: readPrivateHosts(privateHosts, "gateway") });
  const relayGuard = openGuardedFetch({
    privateHosts: readPrivateHosts(privateHosts, "relay"),
    lookup: namesOf,
  });
  const outbox = await openOutboxWaiter(database);
  const files = testFiles(guardedFetch);
  const connections = new ConnectionService({ changes, files, outbox, answerMs: 60_000, ownerMs });
  await openServices(db);
  const gateways = await openGateways({
    database,
    log,
    guardedFetch,
    changes,
    connections,
    secrets: TEST_SECRETS,
    clock: systemClock,
    relayGuard,
    pictureFetch: guardedFetch,
    pictureTurns: pictureTurns(),
    config: { gateways: [], webhookUrl: url, timeScale: 1, ...config },
    links: async () => [],
  });
  const app = createApp({
    db,
    log,
    publicOrigin: null,
    trustedProxies: 0,
    authenticate: async (request) => {
      const accountId = request.headers.get("x-account");
      return accountId ? { accountId, via: "session", sessionId: "1" } : null;
    },
  });
  mountGateways(app, gateways, async () => undefined);
  mountConnections(app, connections);
  const http = await listenHttp(app, "127.0.0.1", port);

  const running: Evolution[] = [];
  afterEach(async () => {
    for (const one of running.splice(0)) await one.close();
  });
  afterAll(async () => {
    await http.stop(100);
    await changes.close();
    await outbox.close();
    await guardedFetch.close();
  });

  async function person() {
    const id = await makeAccount(db);
    async function call<T>(method: string, path: string, body?: unknown): Promise<Answer<T>> {
      const headers = {
        "x-account": id,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      };
      const answer = await fetch(`${url}${path}`, {
        method,
        headers,
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await answer.text();
      seen.push(text);
      const json = answer.headers.get("content-type")?.includes("json");
      return { status: answer.status, body: (json ? JSON.parse(text) : text) as T, headers: answer.headers };
    }
    async function register(evolution: Evolution, name = "") {
      const { url: address, apiKey } = evolution;
      return (await call<Gateway>("POST", "/api/gateways", { name, url: address, apiKey })).body;
    }
    const instances = (gatewayId: number) =>
      call<{ instances: Instance[] }>("GET", `/api/gateways/${gatewayId}/instances`);
    return { id, call, register, instances };
  }

  async function owner(options: Parameters<typeof startEvolution>[0] = {}) {
    const who = await person();
    const server = await evolution(options);
    const { id } = await who.register(server);
    const path = `/api/gateways/${id}/instances`;
    const create = <T = Instance>(changes: object = {}) => who.call<T>("POST", path, newInstance(changes));
    return { ...who, account: who.id, server, id, path, create };
  }

  async function evolution(options: Parameters<typeof startEvolution>[0] = {}): Promise<Evolution> {
    const one = await startEvolution(options);
    running.push(one);
    return one;
  }

  return { url, seen, person, owner, evolution, gateways, guardedFetch, changes, log };
}

export type ErrorAnswer = {
  code: string;
  error: string;
  fields?: Record<string, string>;
  details?: Record<string, string>;
};

export const newInstance = (changes: object = {}) => ({
  instanceName: "loja",
  token: "segredo-da-loja",
  number: "5511987654321",
  webhook: "",
  ...changes,
});
