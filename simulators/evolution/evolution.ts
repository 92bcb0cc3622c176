import http from "node:http";
import type { AddressInfo } from "node:net";
import { Clock } from "./clock.ts";
import { serve } from "./door.ts";
import { makeFaultDesk } from "./faults.ts";
import { type Gateway, isSince } from "./gateway.ts";
import { type EvolutionOptions, timingOf } from "./options.ts";
import { makePeople } from "./people.ts";
import { WebhookDesk } from "./webhook-delivery.ts";
import { makeWorld, type World } from "./world.ts";

export type Evolution = { url: string; apiKey: string; world: World; close(): Promise<void> };

export async function startEvolution(options: EvolutionOptions = {}): Promise<Evolution> {
  const gateway = makeGateway(options);
  const listener = (request: http.IncomingMessage, response: http.ServerResponse) => {
    const done = gateway.clock.begin();
    serve(gateway, request, response).then(done, () => {
      done();
      response.destroy();
    });
  };
  const server = http.createServer({ keepAliveTimeout: 5_000 }, listener);
  const listen = (port: number) =>
    new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen(port, "127.0.0.1", () => {
        server.off("error", reject);
        resolve();
      });
    });
  const stop = () =>
    new Promise<void>((resolve) => {
      if (!server.listening) return resolve();
      server.close(() => resolve());
      server.closeAllConnections();
    });
  await listen(options.port ?? 0);
  const { port } = server.address() as AddressInfo;
  gateway.url = `http://127.0.0.1:${port}`;
  let coming: Promise<void> | null = null;
  /** Concurrent calls share one server. */
  const comeBack = async () => {
    if (server.listening) return;
    coming ??= listen(port).finally(() => {
      coming = null;
    });
    await coming;
  };
  const world = makeWorld(gateway, { goDown: stop, comeBack });
  return {
    url: gateway.url,
    apiKey: gateway.apiKey,
    world,
    async close() {
      gateway.webhooks.close();
      gateway.clock.clear();
      await stop();
    },
  };
}

function makeGateway(options: EvolutionOptions): Gateway {
  const version = options.version ?? "2.3.7";
  const random = options.random ?? Math.random;
  const clock = new Clock(options.now);
  const timing = timingOf(options.timing);
  const gateway: Gateway = {
    version,
    apiKey: options.apiKey ?? "global-key-of-the-stand-in",
    url: "",
    random,
    clock,
    timing,
    people: makePeople(),
    instances: new Map(),
    taken: new Set(),
    webhooks: new WebhookDesk({
      clock,
      random,
      timing,
      namedInHeaders: isSince(version, 2, 4),
      serverUrl: () => gateway.url,
      utcOffsetMinutes: options.utcOffsetMinutes ?? -new Date().getTimezoneOffset(),
    }),
    faults: makeFaultDesk(() => clock.now()),
    accepted: [],
    acts: [],
    presences: [],
    groups: new Map(),
    online: true,
    ended: false,
    licensed: true,
    lostUpdates: 0,
    webhookBeforeReply: false,
    bareCodes: false,
  };
  return gateway;
}
