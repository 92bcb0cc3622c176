import { setTimeout as pause } from "node:timers/promises";
import { runCampaign } from "./campaign.ts";
import { check, type Verdict } from "./check.ts";
import { makeList } from "./installation.ts";
import { chance, type Plan } from "./plan.ts";
import { DEVICE, PHONES, type World } from "./world.ts";

export type Result = Verdict & { plan: Plan; killed: number; seconds: number };

/** One campaign under one plan, from its creation to everybody's last state. Leaves the product running. */
export async function runPlan(world: World, seed: number, plan: Plan): Promise<Result> {
  const start = performance.now();
  const random = chance(seed * 7 + plan.index);
  await world.control.reset({ keepDevices: true });
  const { listId, phones } = await makeList(world, { ...plan, base: PHONES });
  // Receipts settle most doubts before anything is sent again; where no phone sends any, the resend under one id has to do it.
  const deliversAfterMs = plan.receipts ? 5 : null;
  await world.control.people({
    settings: { deliversAfterMs, readsAfterMs: plan.index % 2 === 0 ? 15 : null },
  });
  const refused = await makeWeather(world, plan, phones);
  const { id, killed } = await runCampaign(world, { ...plan, listId }, random, async () => {
    if (plan.weather !== "sockets cut") return;
    await pause(Math.floor(random() * 600));
    await world.control.cut({});
  });
  const verdict = await check(world.database.db, world.control, id, DEVICE, refused);
  return { ...verdict, plan, killed, seconds: (performance.now() - start) / 1000 };
}

/** Answers the people whom WhatsApp refuses or does not know. */
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
    // Under neither form of the number: with one of them the person would be found, and reached, under the other.
    const absent = unknown.flatMap((phone) => [phone, phone.slice(0, 4) + phone.slice(5)]);
    await control.people({ phones: absent, settings: { onWhatsApp: false } });
  }
  return new Set([...refused, ...unknown]);
}
