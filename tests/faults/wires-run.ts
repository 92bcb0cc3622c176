import { serveControl } from "../../src/simulator/control-server.ts";
import { startLocalSimulator } from "../../src/simulator/local.ts";
import { type FaultProxy, openFaultProxy } from "../support/fault-proxy.ts";
import { runCampaign } from "./campaign.ts";
import { check } from "./check.ts";
import { checkGateway } from "./gateway-check.ts";
import { PHONES as GATEWAY_PHONES, type GatewayWorld } from "./gateway-world.ts";
import { makeList, openInstallation } from "./installation.ts";
import { NOTHING, type Outcome } from "./outcome.ts";
import { openOutsideDatabase } from "./outside-database.ts";
import { chance } from "./plan.ts";
import { describeTroubles, makeTrouble, type WiresPlan } from "./wires-plan.ts";
import { DEVICE, linkDevice, PHONES, TIME_SCALE, type World } from "./world.ts";

export const DEVICE_WIRES = ["database", "whatsapp"] as const;
export const GATEWAY_WIRES = ["gateway"] as const;

/** An answer takes so long, or a campaign would be over before anything happens to it. */
const ANSWER_MS = 40;

export type WiredWorld = World & { wires: Record<(typeof DEVICE_WIRES)[number], FaultProxy> };

/** The product with a wire that can fail before its database, and another before its WhatsApp. */
export async function openWiredWorld(): Promise<WiredWorld> {
  const simulator = await startLocalSimulator({});
  const whatsapp = await openFaultProxy({ port: Number(new URL(simulator.address.url).port) });
  const url = new URL(simulator.address.url);
  url.port = String(whatsapp.port);
  const address = { ...simulator.address, url: url.href };
  const control = await serveControl({ ...simulator.control, info: async () => address });
  const outside = await openOutsideDatabase();
  const installation = await openInstallation(
    { RECADO_SIMULATOR: control.url, RECADO_TIME_SCALE: TIME_SCALE },
    ["src/simulator/preload.ts"],
    outside,
  );
  const world: WiredWorld = {
    ...installation,
    ...{ control: simulator.control, wires: { database: outside.wire, whatsapp } },
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

/** One campaign through the simulated WhatsApp while wires fail. */
export async function runWires(world: WiredWorld, seed: number, plan: WiresPlan): Promise<Outcome> {
  const { control, wires } = world;
  await control.reset({ keepDevices: true });
  const { listId } = await makeList(world, { ...plan, base: PHONES });
  await control.people({
    settings: { deliversAfterMs: plan.index % 2 === 0 ? 5 : null, readsAfterMs: null },
  });
  await control.faults({ delayAcks: { ms: ANSWER_MS, count: 1_000_000 } });
  const { id } = await runCampaign(world, campaignOf(plan, listId), chance(seed), async () => {
    const wireOf = (name: string) => (name === "database" ? wires.database : wires.whatsapp);
    await Promise.all(plan.troubles.map((trouble) => makeTrouble(wireOf(trouble.wire), trouble)));
  });
  const verdict = await check(world.database.db, control, id, DEVICE);
  return { ...NOTHING, ...verdict, plan: describeTroubles(plan) };
}

/** One campaign through the stand-in gateway while the wire to it fails. */
export async function runGatewayWire(world: GatewayWorld, seed: number, plan: WiresPlan): Promise<Outcome> {
  const { gateway, wire } = world;
  const { listId } = await makeList(world, { ...plan, base: GATEWAY_PHONES });
  gateway.world.everybody({ deliveredMs: 20, readMs: null });
  gateway.world.faults.rate({ seed, slow: 1, ms: ANSWER_MS });
  const { id } = await runCampaign(world, campaignOf(plan, listId), chance(seed), async () => {
    await Promise.all(plan.troubles.map((trouble) => makeTrouble(wire, trouble)));
  });
  gateway.world.faults.rate(null);
  await gateway.world.idle();
  const sentTo = new Map<string, number>();
  for (const { phone, text } of gateway.world.accepted)
    if (phone && text?.endsWith(`Rodada ${plan.index}`)) sentTo.set(phone, (sentTo.get(phone) ?? 0) + 1);
  const verdict = await checkGateway(world.database.db, id, { sentTo, refused: new Set() });
  return { ...NOTHING, ...verdict, plan: describeTroubles(plan) };
}

const campaignOf = ({ index }: WiresPlan, listId: number) => ({
  ...{ index, listId, paced: false, kills: [], deed: "nothing" as const },
});
