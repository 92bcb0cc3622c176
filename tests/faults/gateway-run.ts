import { setTimeout as pause } from "node:timers/promises";
import { hasWrongCode, runCampaign } from "./campaign.ts";
import { chance } from "./chance.ts";
import { Held, partOf } from "./files.ts";
import { checkGateway, type GatewayVerdict } from "./gateway-check.ts";
import { type GatewayPlan, ratesOf } from "./gateway-plan.ts";
import { type GatewayWorld, INSTANCE, PHONES } from "./gateway-world.ts";
import { makeList } from "./installation.ts";
import { type Handed, OptedOut, RUNNING_MS } from "./opted-out.ts";

export type GatewayResult = GatewayVerdict & {
  plan: GatewayPlan;
  killed: number;
  ambiguous: number;
  /** Opted out while a part was down; and those of them who got the campaign. */
  optedOut: number;
  writtenToAfterLeaving: number;
  seconds: number;
};

const SENDS = new Set(["sendText", "sendMedia"]);
const PLAIN = new Set(["tooMany", "connectionClosed", "slow"]);

const SLOTS = 4;

export async function runGatewayPlan(
  at: GatewayWorld,
  seed: number,
  plan: GatewayPlan,
): Promise<GatewayResult> {
  const start = performance.now();
  const random = chance(seed * 11 + plan.index);
  const { world } = at.gateway;
  const { listId, phones } = await makeList(at, { ...plan, base: PHONES });
  const refused = await makeWeather(at, plan, phones);
  world.faults.rate(ratesOf(plan.weather, seed * 1_000 + plan.index));
  const errorsBefore = world.faults.log.length;
  const optedOut = new OptedOut(refused);
  const leave = (campaignId: number, graceMs: number) =>
    optedOut.leave(at.database.db, campaignId, graceMs, async (phone) => {
      world.reply(INSTANCE, phone, "SAIR");
    });
  async function whileDead(campaignId: number): Promise<void> {
    await leave(campaignId, 0);
    if (plan.index % 2 === 0) return;
    await world.goDown({ losesWebhooks: true });
    await world.comeBack();
  }
  const campaign = { ...plan, listId, whileDead };
  const { id, killed } = await runCampaign(at, campaign, random, (campaignId) =>
    disturb(at, plan, Math.floor(random() * 600), () => leave(campaignId, RUNNING_MS)),
  );
  await clearUp(at);
  await optedOut.settled(at.database.db);
  const held = new Held();
  const handed: Handed[] = [];
  for (const { phone, text, fileName, askedAt } of world.accepted) {
    const found = partOf(text, fileName);
    if (!phone || found?.index !== plan.index) continue;
    if (hasWrongCode({ to: phone, text })) throw new Error(`${phone} got «${text}»`);
    held.add(phone, found.part, askedAt);
    handed.push({ phone, at: askedAt });
  }
  const sendErrors = world.faults.log.slice(errorsBefore).filter(({ call }) => SENDS.has(call));
  const cut = plan.weather === "gateway down" ? SLOTS : 0;
  const ambiguous = sendErrors.filter(({ fault }) => !PLAIN.has(fault)).length + cut;
  const verdict = await checkGateway(at.database.db, id, { held, parts: plan.files.parts, refused });
  const left = { optedOut: optedOut.count, writtenToAfterLeaving: optedOut.writtenTo(handed) };
  return { ...verdict, ...left, plan, killed, ambiguous, seconds: (performance.now() - start) / 1000 };
}

export const tooUncertain = ({ uncertain, killed, ambiguous }: GatewayResult): number =>
  Math.max(0, uncertain - killed - ambiguous);

async function makeWeather(
  { gateway: { world } }: GatewayWorld,
  { weather, index }: GatewayPlan,
  phones: readonly string[],
): Promise<Set<string>> {
  world.everybody({
    serverAckMs: 10,
    deliveredMs: index % 3 === 0 ? null : 20,
    readMs: index % 2 === 0 ? 40 : null,
  });
  if (weather === "no webhooks") world.silent(INSTANCE);
  world.delivery(
    weather === "late webhooks" ? { duplicates: 0.3, shuffleMs: 800, delayMs: 300 } : { duplicates: 0.1 },
  );
  if (weather !== "some refused") return new Set();
  const refused = phones.slice(1, 4);
  for (const phone of refused) world.person({ phone, refused: true });
  const unknown = phones.slice(-2);
  for (const phone of unknown) world.person({ phone, onWhatsApp: false });
  return new Set([...refused, ...unknown]);
}

async function disturb(
  { gateway: { world } }: GatewayWorld,
  { weather, index }: GatewayPlan,
  afterMs: number,
  leave: () => Promise<void>,
) {
  await pause(afterMs);
  if (weather === "gateway down") {
    await world.goDown({ losesWebhooks: index % 2 === 1 });
    await leave();
    await pause(500);
    await world.comeBack();
  }
  if (weather === "socket dropped") {
    world.dropSocket(INSTANCE, { hold: true });
    await leave();
    if (index % 2 === 1) await pause(500);
    world.reconnect(INSTANCE);
  }
}

async function clearUp({ gateway: { world } }: GatewayWorld): Promise<void> {
  world.faults.rate(null);
  world.faults.clear();
  world.silent(INSTANCE, false);
  world.delivery({ duplicates: 0, shuffleMs: 0, delayMs: 0 });
  await world.idle();
}
