import { setTimeout as pause } from "node:timers/promises";
import { sql } from "kysely";
import { check, type Verdict } from "./check.ts";
import { chance, type Kill, type Plan } from "./plan.ts";
import { DEVICE, makeList, until, type World } from "./world.ts";

export type Result = Verdict & { plan: Plan; killed: number; seconds: number };

/** One campaign under one plan, from its creation to everybody's last state. Leaves the product running. */
export async function runPlan(world: World, seed: number, plan: Plan): Promise<Result> {
  const start = performance.now();
  const random = chance(seed * 7 + plan.index);
  await world.control.reset({ keepDevices: true });
  const { listId, phones } = await makeList(world, plan.index, plan.people);
  // Receipts settle most doubts before anything is sent again; where no phone sends any, the resend under one id has to do it.
  const deliversAfterMs = plan.receipts ? 5 : null;
  await world.control.people({
    settings: { deliversAfterMs, readsAfterMs: plan.index % 2 === 0 ? 15 : null },
  });
  await makeWeather(world, plan, phones);
  await world.restart(plan.kills[0] ?? null);
  const { id } = await world.call<{ id: number }>("POST", "/api/campaigns", {
    ...{ name: `Falha ${plan.index}`, text: `Oi, {nome}! Rodada ${plan.index}`, listId, connectionId: null },
    ...{ intervalS: plan.paced ? 1 : 0, intent: "create" },
  });
  let killed = 0;
  const deed = doDeed(world, plan, id, random);
  for (const [at, kill] of plan.kills.entries()) {
    if (await died(world, kill, id)) killed += 1;
    await world.restart(plan.kills[at + 1] ?? null);
  }
  await deed;
  await finish(world, plan, id);
  const verdict = await check(world.database.db, world.control, id, DEVICE);
  return { ...verdict, plan, killed, seconds: (performance.now() - start) / 1000 };
}

async function makeWeather({ control }: World, { weather, people }: Plan, phones: string[]): Promise<void> {
  const some = Math.ceil(people / 6);
  if (weather === "acks lost") await control.faults({ dropAcks: 2 });
  if (weather === "acks late") await control.faults({ delayAcks: { ms: 400, count: some } });
  if (weather === "cut after taking") await control.faults({ cutAfterAccept: 2 });
  if (weather === "cut before taking") await control.faults({ cutBeforeAccept: 2 });
  if (weather === "some refused") {
    await control.people({ phones: phones.slice(1, 1 + some), settings: { refusesWith: 406 } });
    // Under neither form of the number: with one of them the person would be found, and reached, under the other.
    const absent = phones.slice(-1).flatMap((phone) => [phone, phone.slice(0, 4) + phone.slice(5)]);
    await control.people({ phones: absent, settings: { onWhatsApp: false } });
  }
}

/** Waits until the kill has happened, or the campaign went by without reaching its step. */
async function died(world: World, kill: Kill, campaignId: number): Promise<boolean> {
  if ("afterMs" in kill) {
    await pause(kill.afterMs);
    await world.product.kill9();
    return true;
  }
  return until("the kill or the end", async () => {
    if (world.ended()) return { killed: true };
    const { life, open } = await campaignOf(world, campaignId);
    return (life === "ended" || life === "cancelled") && open === 0 ? { killed: false } : null;
  }).then((end) => end.killed);
}

/** Pauses, cancels and cuts while the campaign runs; a server that is down is asked again. */
async function doDeed(world: World, plan: Plan, id: number, random: () => number): Promise<void> {
  const wait = Math.floor(random() * 600);
  if (plan.weather === "sockets cut") {
    await pause(wait);
    await world.control.cut({});
  }
  if (plan.deed === "nothing") return;
  await pause(wait);
  const act = (action: string) =>
    until(action, async () => {
      const { life } = await campaignOf(world, id);
      if (life === "ended" || life === "cancelled") return "over";
      return world.call("POST", `/api/campaigns/${id}/${action}`).then(
        () => "done",
        () => null,
      );
    });
  if (plan.deed === "cancel") await act("cancel");
  else if ((await act("pause")) === "done") {
    await pause(100);
    await act("resume");
  }
}

async function campaignOf(world: World, id: number): Promise<{ life: string; open: number }> {
  const { rows } = await sql<{ life: string; open: number }>`select life,
      n_sending + n_waiting + case when life = 'cancelled' then n_pending else 0 end as open
    from campaign where id = ${id}`.execute(world.database.db);
  return rows[0] ?? { life: "gone", open: 0 };
}

/** Waits for the last states, and for the receipts of what was delivered. */
async function finish(world: World, plan: Plan, id: number): Promise<void> {
  await until(`the end of run ${plan.index}`, async () => {
    const { life, open } = await campaignOf(world, id);
    return (life === "ended" || life === "cancelled") && open === 0;
  });
}
