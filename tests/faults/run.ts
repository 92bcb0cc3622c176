import { setTimeout as pause } from "node:timers/promises";
import { OPT_OUT_CONFIRMATION } from "../../src/contract/error-messages.ts";
import { runCampaign } from "./campaign.ts";
import { chance } from "./chance.ts";
import { check, type Verdict } from "./check.ts";
import { makeList } from "./installation.ts";
import { type Handed, OptedOut, RUNNING_MS } from "./opted-out.ts";
import type { Plan } from "./plan.ts";
import { DEVICE, PHONES, type World } from "./world.ts";

export type Result = Verdict & {
  plan: Plan;
  killed: number;
  /** Opted out while a part was down; and those of them who got the campaign. */
  optedOut: number;
  writtenToAfterLeaving: number;
  seconds: number;
};

const CUT_MS = 300;

export async function runPlan(world: World, seed: number, plan: Plan): Promise<Result> {
  const start = performance.now();
  const random = chance(seed * 7 + plan.index);
  await world.control.reset({ keepDevices: true });
  const { listId, phones } = await makeList(world, { ...plan, base: PHONES });
  // Receipts settle most doubts before a resend; without them the resend under one id must do it.
  const deliversAfterMs = plan.receipts ? 5 : null;
  await world.control.people({
    settings: { deliversAfterMs, readsAfterMs: plan.index % 2 === 0 ? 15 : null },
  });
  const refused = await makeWeather(world, plan, phones);
  const optedOut = new OptedOut(refused);
  const leave = (campaignId: number, graceMs: number) =>
    optedOut.leave(world.database.db, campaignId, graceMs, async (phone) => {
      await world.control.write({ from: phone, to: DEVICE, text: "SAIR" });
    });
  const whileDead = (campaignId: number) => leave(campaignId, 0);
  const campaign = { ...plan, listId, whileDead };
  const { id, killed } = await runCampaign(world, campaign, random, async (campaignId) => {
    if (plan.weather !== "sockets cut") return;
    await pause(Math.floor(random() * 600));
    await world.control.faults({ unreachable: true });
    await world.control.cut({});
    await leave(campaignId, RUNNING_MS);
    await pause(CUT_MS);
    await world.control.faults({ unreachable: false });
  });
  await optedOut.settled(world.database.db);
  const writtenToAfterLeaving = optedOut.writtenTo(await handedTo(world));
  const verdict = await check(world.database.db, world.control, id, DEVICE, {
    refused,
    parts: plan.files.parts,
  });
  const left = { optedOut: optedOut.count, writtenToAfterLeaving };
  return { ...verdict, ...left, plan, killed, seconds: (performance.now() - start) / 1000 };
}

async function handedTo({ control }: World): Promise<Handed[]> {
  const { messages } = await control.messages({ from: DEVICE, limit: 100_000 });
  const ours = messages.filter(({ text }) => text !== OPT_OUT_CONFIRMATION);
  return ours.map(({ to, lastAt }) => ({ phone: to, at: Date.parse(lastAt) }));
}

async function makeWeather({ control }: World, { weather, people }: Plan, phones: string[]) {
  const some = Math.ceil(people / 6);
  if (weather === "acks lost") await control.faults({ dropAcks: 2 });
  if (weather === "acks late") await control.faults({ delayAcks: { ms: 400, count: some } });
  if (weather === "cut after taking") await control.faults({ cutAfterAccept: 2 });
  if (weather === "cut before taking") await control.faults({ cutBeforeAccept: 2 });
  const refused = weather === "some refused" ? phones.slice(1, 1 + some) : [];
  const unknown = weather === "some refused" ? phones.slice(-1) : [];
  if (weather === "some refused") {
    await control.people({ phones: refused, settings: { refusesWith: 406 } });
    // Under neither form of the number: otherwise the person would be found and reached under the other.
    const absent = unknown.flatMap((phone) => [phone, phone.slice(0, 4) + phone.slice(5)]);
    await control.people({ phones: absent, settings: { onWhatsApp: false } });
  }
  return new Set([...refused, ...unknown]);
}
