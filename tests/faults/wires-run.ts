import { setTimeout as pause } from "node:timers/promises";
import { serveControl } from "../../simulators/whatsapp/control-server.ts";
import { startLocalSimulator } from "../../simulators/whatsapp/local.ts";
import { type FaultProxy, openFaultProxy } from "../support/fault-proxy.ts";
import { runCampaign } from "./campaign.ts";
import { chance } from "./chance.ts";
import { check } from "./check.ts";
import { Held } from "./files.ts";
import { checkGateway } from "./gateway-check.ts";
import { PHONES as GATEWAY_PHONES, type GatewayWorld } from "./gateway-world.ts";
import { isOver, makeList, openInstallation, until } from "./installation.ts";
import { NOTHING, type Outcome } from "./outcome.ts";
import { openOutsideDatabase } from "./outside-database.ts";
import { describeTroubles, makeTrouble, type Trouble, type WiresPlan } from "./wires-plan.ts";
import { DEVICE, linkDevice, PHONES, TIME_SCALE, type World } from "./world.ts";

export const DEVICE_WIRES = ["database", "whatsapp"] as const;
export const GATEWAY_WIRES = ["gateway"] as const;

const ANSWER_MS = 40;

export type WiredWorld = World & { wires: Record<(typeof DEVICE_WIRES)[number], FaultProxy> };

export async function openWiredWorld(databaseUrl?: string): Promise<WiredWorld> {
  const simulator = await startLocalSimulator({});
  const whatsapp = await openFaultProxy({ port: Number(new URL(simulator.address.url).port) });
  const url = new URL(simulator.address.url);
  url.port = String(whatsapp.port);
  const address = { ...simulator.address, url: url.href };
  const control = await serveControl({ ...simulator.control, info: async () => address });
  const outside = await openOutsideDatabase(databaseUrl);
  const installation = await openInstallation(
    { RECADO_SIMULATOR: control.url, RECADO_TIME_SCALE: TIME_SCALE },
    ["simulators/whatsapp/preload.ts"],
    outside,
  );
  const world: WiredWorld = {
    ...installation,
    control: simulator.control,
    wires: { database: outside.wire, whatsapp },
    async close() {
      await installation.close();
      await outside.close();
      await whatsapp.close();
      await control.stop();
      await simulator.stop();
    },
  };
  await linkDevice(world);
  return world;
}

export async function runWires(world: WiredWorld, seed: number, plan: WiresPlan): Promise<Outcome> {
  const { control, wires } = world;
  // A receipt may have ended the run early; otherwise the acknowledgement would be waited for a minute.
  await pause(2 * ANSWER_MS);
  await control.reset({ keepDevices: true });
  const { listId } = await makeList(world, { ...plan, base: PHONES });
  await control.people({
    settings: { deliversAfterMs: plan.index % 2 === 0 ? 5 : null, readsAfterMs: null },
  });
  await control.faults({ delayAcks: { ms: ANSWER_MS, count: 1_000_000 } });
  const [away] = plan.troubles;
  const alone = plan.troubles.length === 1 && away?.wire === "database" && away.kind === "refused";
  let fromDatabaseMs: number[] = [];
  const { id } = await runCampaign(world, campaignOf(plan, listId), chance(seed), async () => {
    const wireOf = (name: string) => (name === "database" ? wires.database : wires.whatsapp);
    const made = plan.troubles.map((trouble) => makeTrouble(wireOf(trouble.wire), trouble));
    if (alone) fromDatabaseMs = await watchAway(world, away, made);
    await Promise.all(made);
  });
  const verdict = await check(world.database.db, control, id, DEVICE);
  return { ...NOTHING, ...verdict, fromDatabaseMs, plan: describeTroubles(plan) };
}

/** During the outage calls answer 503; measures from its end to the next message, if any. */
async function watchAway(world: WiredWorld, { afterMs, forMs }: Trouble, made: Promise<void>[]) {
  const { product, control, database } = world;
  await pause(afterMs + forMs / 2);
  const { status, headers } = await product.fetch("/api/login", {
    method: "POST",
    headers: { "content-type": "application/json", origin: product.url },
    body: JSON.stringify({ email: "ninguem@exemplo.com.br", password: "seja o que for" }),
  });
  if (status !== 503 || headers.get("retry-after") === null)
    throw new Error(`without its database the product answered ${status}`);
  const quiet = (await control.stats({})).accepted;
  await Promise.all(made);
  const back = performance.now();
  const before = (await control.stats({})).accepted;
  if (before > quiet) throw new Error("messages left while nothing could be recorded");
  const next = await until("the next message", async () => {
    if ((await control.stats({})).accepted > before) return performance.now() - back;
    return (await isOver(database.db)) ? -1 : null;
  });
  return next < 0 ? [] : [next];
}

export async function runGatewayWire(world: GatewayWorld, seed: number, plan: WiresPlan): Promise<Outcome> {
  const { gateway, wire } = world;
  const { listId } = await makeList(world, { ...plan, base: GATEWAY_PHONES });
  gateway.world.everybody({ serverAckMs: 10, deliveredMs: 20, readMs: null });
  gateway.world.faults.rate({ seed, slow: 1, ms: ANSWER_MS });
  const { id } = await runCampaign(world, campaignOf(plan, listId), chance(seed), async () => {
    await Promise.all(plan.troubles.map((trouble) => makeTrouble(wire, trouble)));
  });
  gateway.world.faults.rate(null);
  await gateway.world.idle();
  const held = new Held();
  for (const { phone, text, askedAt } of gateway.world.accepted)
    if (phone && text?.endsWith(`Rodada ${plan.index}`)) held.add(phone, 0, askedAt);
  const verdict = await checkGateway(world.database.db, id, { held, parts: 1, refused: new Set() });
  return { ...NOTHING, ...verdict, plan: describeTroubles(plan) };
}

const campaignOf = ({ index }: WiresPlan, listId: number) => ({
  index,
  listId,
  paced: false,
  kills: [],
  intervention: "nothing" as const,
});
