import { setTimeout as pause } from "node:timers/promises";
import { type Evolution, startEvolution } from "../../simulators/evolution/evolution.ts";
import type { Connection } from "../../src/contract/connections.ts";
import type { Gateway, Instance } from "../../src/contract/gateways.ts";
import type { Client } from "../support/client.ts";
import { calledBy, type DemoPerson } from "./people.ts";

export const INSTANCE = "loja-savassi";
export const WAITING = "loja-pampulha";

const KEY = "chave-de-demonstracao";
const LOOK_EVERY_MS = 100;

export const startGateway = (): Promise<Evolution> => startEvolution({ apiKey: KEY });

export function settleGatewayPeople({ world }: Evolution, people: readonly DemoPerson[]): void {
  for (const [at, { name, phone }] of people.entries()) {
    const readMs = at % 4 === 3 ? null : at % 4 === 2 ? 40_000 : 1_500;
    const deliveredMs = at % 24 === 19 ? null : 300;
    world.person({ phone, name: calledBy(name), serverAckMs: 100, deliveredMs, readMs });
  }
}

export async function addGateway(call: Client, { url, apiKey, world }: Evolution): Promise<number> {
  const gateway = await call<Gateway>("POST", "/api/gateways", { name: "Servidor da loja", url, apiKey });
  const make = (instanceName: string, number: string) =>
    call<Instance>("POST", `/api/gateways/${gateway.id}/instances`, {
      instanceName,
      number,
      token: `token-${instanceName}`,
    });
  const { connectionId } = await make(INSTANCE, "31 90777-4410");
  await scanned(world, INSTANCE, { phone: "5531907774410", profileName: "Ótica Horizonte Savassi" });
  await make(WAITING, "31 90777-5521");
  for (;;) {
    const { connections } = await call<{ connections: Connection[] }>("GET", "/api/connections");
    const linked = connections.find(({ id, state }) => id === connectionId && state === "connected");
    if (linked) return linked.id;
    await pause(LOOK_EVERY_MS);
  }
}

export async function scanned(
  world: Evolution["world"],
  instance: string,
  owner: { phone?: string; profileName: string },
): Promise<void> {
  while (world.qr(instance) === null) await pause(LOOK_EVERY_MS);
  await world.scan(instance, owner);
}
