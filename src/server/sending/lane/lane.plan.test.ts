import { randomBytes } from "node:crypto";
import { sql } from "kysely";
import { expect, test } from "vitest";
import { testDatabase } from "../../../../tests/support/database.ts";
import { type LaneOptions, laneLab } from "../../../../tests/support/lane-lab.ts";
import { makeCampaign } from "../../../../tests/support/sending.ts";
import { DELIVERY } from "../../../domain/delivery.ts";
import { type NumberPlan, rampOn, recommendedPlan } from "../../../domain/number-plan.ts";
import { forecast } from "../../../domain/plan-forecast.ts";
import { nextOpen } from "../../../domain/plan-hours.ts";
import { UNUSED } from "../../../domain/plan-pace.ts";
import { dayInZone } from "../../../domain/schedule.ts";
import { startNext } from "../campaigns/audience.ts";
import { noteTalks } from "../ledger/known-conversations.ts";

const { db, database } = await testDatabase();
const { arrange } = laneLab({ db, database });

const ZONE = "America/Sao_Paulo";
const FIRST = 5511900000000;
const phoneOf = (seq: number) => String(FIRST + seq);
const at = (wall: string) => new Date(`${wall}-03:00`);

const MORNINGS: NumberPlan = {
  ...recommendedPlan("2026-11-23"),
  hours: [...Array.from({ length: 6 }, () => ({ from: 8 * 60, to: 12 * 60 })), null],
  ramp: { from: 10, to: 36, days: 14 },
};

/** Repeatable, evenly spread over [0, 1). */
function chance(seed: number) {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

type Options = LaneOptions & { plan?: NumberPlan; warm?: readonly number[] };

async function planned({ plan = MORNINGS, warm = [], answer, ...options }: Options) {
  const sent: { at: number; phone: string }[] = [];
  const it = await arrange({
    start: at("2026-11-23T08:00"),
    times: { lookAgain: 10 * 60_000, aside: 1 },
    random: chance(7),
    answer: async (message, nth) => {
      const given = await answer?.(message, nth);
      if (given?.kind !== "refused") sent.push({ at: it.clock.now().getTime(), phone: message.to.jid });
      return given ?? { kind: "accepted", providerId: message.messageId, at: it.clock.now().getTime() };
    },
    ...options,
  });
  await sql`insert into number_plan (connection_id, plan) values (${it.connectionId}, ${JSON.stringify(plan)}::jsonb)`.execute(
    db,
  );
  const names = warm.map((seq) => ({ names: [phoneOf(seq)], at: new Date(), answered: false }));
  await noteTalks(db, it.connectionId, names);
  const isWarm = (phone: string) => warm.some((seq) => phone.startsWith(phoneOf(seq)));
  const perDay = (cold: boolean) => {
    const days: Record<string, number> = {};
    for (const one of sent.filter(({ phone }) => isWarm(phone) !== cold)) {
      const day = dayInZone(new Date(one.at), ZONE);
      days[day] = (days[day] ?? 0) + 1;
    }
    return days;
  };
  const counted = async () => {
    const { rows } = await sql<{ n: number }>`select count(*)::int as n from cold_message
      where connection_id = ${it.connectionId}`.execute(db);
    return rows[0]?.n;
  };
  const single = (phone: string) =>
    sql`insert into outbox (account_id, connection_id, phone, text, message_id, body_hash)
      values (${it.accountId}::uuid, ${it.connectionId}, ${phone}::bigint, 'Oi',
        ${`3EB0${randomBytes(9).toString("hex").toUpperCase()}`}, '')`.execute(db);
  return { ...it, plan, sent, isWarm, perDay, counted, single };
}

test("a campaign keeps to hours, budget and gaps of its number, and ends when it was predicted", async () => {
  const warm = [0, 5, 9, 14, 15, 30, 31, 44, 50, 59];
  const it = await planned({ people: 60, warm });
  const start = it.clock.now().getTime();
  const predicted = forecast({
    plan: it.plan,
    zone: ZONE,
    now: start,
    people: { warm: warm.length, cold: 50 },
    others: { warm: 0, cold: 0 },
    intervalMs: 0,
    use: UNUSED,
    coldToday: 0,
    quota: null,
  });
  await it.run();
  await it.until(async () => (await it.ledger()).status === "ended", "next");

  expect(new Set(it.sent.map(({ phone }) => phone)).size).toBe(60);
  expect(it.sent).toHaveLength(60);
  for (const one of it.sent) expect(nextOpen(it.plan, ZONE, one.at), "inside the hours").toBe(one.at);
  const cold = it.perDay(true);
  for (const [day, count] of Object.entries(cold)) expect(count).toBeLessThanOrEqual(rampOn(it.plan, day));
  expect(Object.values(cold)).toEqual(predicted.days.map((day) => day.cold));
  expect(await it.counted()).toBe(50);
  const gaps = (times: number[]) => times.slice(1).map((time, i) => time - (times[i] ?? 0));
  expect(Math.min(...gaps(it.sent.map((one) => one.at)))).toBeGreaterThanOrEqual(8_000);
  const begun = it.sent.filter(({ phone }) => !it.isWarm(phone)).map((one) => one.at);
  expect(Math.min(...gaps(begun))).toBeGreaterThanOrEqual(45_000);
  const end = it.sent.at(-1)?.at ?? 0;
  const off = Math.abs(end - (predicted.end ?? 0)) / ((predicted.end ?? 0) - start);
  expect(off).toBeLessThanOrEqual(0.02);
});

test("WhatsApp's own quota holds new conversations until its cycle ends, as predicted, and warm people go on", async () => {
  const it = await planned({ people: 12, warm: [10, 11] });
  const until = at("2026-11-25T07:00");
  const readAt = at("2026-11-23T07:59");
  const quota = {
    total: 100,
    used: 96,
    capped: false,
    until: until.toISOString(),
    readAt: readAt.toISOString(),
  };
  await sql`update connection set new_chats = ${JSON.stringify(quota)}::jsonb where id = ${it.connectionId}`.execute(
    db,
  );
  const predicted = forecast({
    plan: it.plan,
    zone: ZONE,
    now: it.clock.now().getTime(),
    people: { warm: 2, cold: 10 },
    others: { warm: 0, cold: 0 },
    intervalMs: 0,
    use: UNUSED,
    coldToday: 0,
    quota: { left: 4, until: until.getTime() },
  });
  const first = await it.run();
  await it.until(() => it.sent.length === 6, "next");
  await first.close(1_000);
  await it.run();
  await it.until(async () => (await it.ledger()).status === "ended", "next");
  expect(it.perDay(true)).toEqual({ "2026-11-23": 4, "2026-11-25": 6 });
  expect(it.perDay(false)).toEqual({ "2026-11-23": 2 });
  expect(predicted.days.map((day) => day.cold)).toEqual([4, 0, 6]);
});

test("outside the hours nothing leaves, not even a second try; an answer does", async () => {
  const it = await planned({
    people: 3,
    warm: [0, 1, 2, 40],
    start: at("2026-11-23T11:59:59"),
    plan: { ...MORNINGS, warmGapS: { least: 0, most: 0 } },
    answer: (message, nth) =>
      nth === 1 && message.to.jid.startsWith(phoneOf(0))
        ? { kind: "refused", code: "wa_500", passing: true }
        : { kind: "accepted", providerId: message.messageId, at: 0 },
  });
  const lane = await it.run();
  await it.until(() => it.clock.now() > at("2026-11-23T12:10"), "next");
  const isTryDue = async () => {
    const { rows } =
      await sql`select from delivery where campaign_id = ${it.campaignId} and tries = 1 and not_before < now()`.execute(
        db,
      );
    return rows.length === 1;
  };
  await it.until(isTryDue, 0);
  await it.until(() => it.clock.now() > at("2026-11-23T12:30"), "next");
  expect(it.sent.filter((one) => one.at >= at("2026-11-23T12:00").getTime())).toEqual([]);
  const { rows } = await it.ledger();
  expect(rows[DELIVERY.sending], "no one is held until tomorrow").toBe(0);
  await it.single(phoneOf(40));
  lane.wakeForDirect();
  await it.until(() => it.sent.some(({ phone }) => phone.startsWith(phoneOf(40))), "next");
  expect(it.clock.now() < at("2026-11-23T13:00")).toBe(true);
  await it.until(async () => (await it.ledger()).status === "ended", "next");
  expect(it.sent).toHaveLength(4);
  for (const { at: time, phone } of it.sent)
    if (!phone.startsWith(phoneOf(40))) expect(nextOpen(it.plan, ZONE, time)).toBe(time);
});

test("who was claimed before the hours end is not held until they begin again", async () => {
  const it = await planned({ people: 3, start: at("2026-11-23T11:59:00"), random: () => 0.9 });
  await it.run();
  await it.until(async () => (await it.ledger()).rows[DELIVERY.sending] === 1 && it.sent.length === 1, 100);
  await it.until(() => it.clock.now() > at("2026-11-23T12:30"), "next");
  await it.until(async () => (await it.ledger()).rows[DELIVERY.sending] === 0, 0);
  expect(it.sent).toHaveLength(1);
});

test("single messages to new people share the budget, and wait for the next day with it", async () => {
  const plan = { ...MORNINGS, ramp: { from: 2, to: 2, days: 1 } };
  const it = await planned({ people: 2, warm: [7], plan });
  await it.single(phoneOf(80));
  const lane = await it.run();
  await it.until(() => it.sent.length === 2, "next");
  await it.single(phoneOf(81));
  await it.single(phoneOf(7));
  lane.wakeForDirect();
  await it.until(() => it.sent.some(({ phone }) => phone.startsWith(phoneOf(7))), "next");
  await it.until(() => it.clock.now() > at("2026-11-23T20:00"), "next");
  expect(it.perDay(true)).toEqual({ "2026-11-23": 2 });
  await it.until(() => it.sent.length === 5, "next");
  expect(it.perDay(true)).toEqual({ "2026-11-23": 2, "2026-11-24": 2 });
});

test("a message that surely did not leave costs no new conversation", async () => {
  const it = await planned({
    people: 3,
    plan: { ...MORNINGS, ramp: { from: 2, to: 2, days: 1 } },
    answer: (message) =>
      message.to.jid.startsWith(phoneOf(0))
        ? { kind: "refused", code: "not_on_whatsapp", passing: false }
        : { kind: "accepted", providerId: message.messageId, at: 0 },
  });
  await it.run();
  await it.until(async () => (await it.ledger()).status === "ended", "next");
  expect(it.perDay(true)).toEqual({ "2026-11-23": 2 });
  expect(await it.counted()).toBe(2);
});

test("a restart keeps budget, gaps and rest", async () => {
  const plan = { ...MORNINGS, rest: { after: 3, minutes: { least: 10, most: 20 } } };
  const it = await planned({ people: 8, plan });
  const first = await it.run();
  await it.until(() => it.sent.length === 3, "next");
  await it.until(async () => (await it.ledger()).rows[DELIVERY.sent] === 3, 10);
  await first.close(1_000);
  await it.run();
  await it.until(async () => (await it.ledger()).status === "ended", "next");
  const [, , third = 0, fourth = 0] = it.sent.map((one) => one.at);
  expect(fourth - third).toBeGreaterThanOrEqual(10 * 60_000);
  expect(it.sent).toHaveLength(8);
});

test("a clock that was put back delays no message by more than its gap", async () => {
  const it = await planned({ people: 2 });
  await sql`update number_plan set last_at = ${at("2026-11-25T09:00")}, last_cold_at = ${at("2026-11-25T09:00")}
    where connection_id = ${it.connectionId}`.execute(db);
  await it.run();
  await it.until(() => it.sent.length === 1, "next");
  expect((it.sent[0]?.at ?? 0) - at("2026-11-23T08:00").getTime()).toBeLessThanOrEqual(120_000);
});

test("two campaigns and a program's single messages share one day's new conversations", async () => {
  const it = await planned({ people: 20, plan: { ...MORNINGS, ramp: { from: 6, to: 6, days: 1 } } });
  await makeCampaign(db, it.accountId, {
    people: 20,
    firstPhone: FIRST + 500,
    connectionId: it.connectionId,
  });
  await startNext(database);
  for (const seq of [900, 901]) await it.single(phoneOf(seq));
  await it.run();
  await it.until(() => it.clock.now() > at("2026-11-25T20:00"), "next");
  expect(it.perDay(true)).toEqual({ "2026-11-23": 6, "2026-11-24": 6, "2026-11-25": 6 });
  for (const { at: time, phone } of it.sent)
    if (Number(phone.split("@")[0]) < FIRST + 900) expect(nextOpen(it.plan, ZONE, time)).toBe(time);
});

test("a zone that is changed in the middle moves the hours, and what began that day stays counted", async () => {
  const east = "America/Noronha";
  const it = await planned({ people: 30, plan: { ...MORNINGS, ramp: { from: 12, to: 12, days: 1 } } });
  const lane = await it.run();
  await it.until(() => it.sent.length === 5, "next");
  const changed = it.clock.now().getTime();
  await sql`update account set time_zone = ${east} where id = ${it.accountId}::uuid`.execute(db);
  lane.wake();
  await it.until(async () => (await it.ledger()).status === "ended", "next");
  for (const { at: time } of it.sent)
    expect(nextOpen(it.plan, time > changed ? east : ZONE, time)).toBe(time);
  const days = it.sent.map((one) => dayInZone(new Date(one.at), east));
  expect(days.filter((day) => day === "2026-11-23")).toHaveLength(12);
  expect(days.filter((day) => day === "2026-11-24")).toHaveLength(12);
});

test.each([
  ["never open", { ...MORNINGS, hours: Array.from({ length: 7 }, () => null) }, 0],
  ["allow no new conversation", { ...MORNINGS, ramp: { from: 0, to: 0, days: 1 } }, 2],
])("a plan whose hours or budget %s sends nothing outside of it and harms nothing", async (_, plan, sent) => {
  const it = await planned({ people: 6, warm: [1, 4], plan });
  await it.run();
  await it.until(() => it.clock.now() > at("2026-11-26T12:00"), "next");
  expect(it.sent).toHaveLength(sent);
  expect(await it.ledger()).toMatchObject({ status: "sending", total: 6, sum: 6 });
});

test("who was claimed when the process died counts as a new conversation: a crash allows not one more", async () => {
  let isDead = false;
  const it = await planned({
    people: 3,
    plan: { ...MORNINGS, ramp: { from: 2, to: 2, days: 1 } },
    mayAct: (nth) => nth > 0 || !isDead,
  });
  await it.run();
  const isClaimed = async () => {
    const { rows } = await it.ledger();
    return rows[DELIVERY.sent] === 1 && rows[DELIVERY.sending] === 1;
  };
  await it.until(isClaimed, 500);
  await it.run();
  isDead = true;
  await it.until(() => it.clock.now() > at("2026-11-23T08:10"), 1_000);
  expect(it.sent).toHaveLength(2);
  expect(await it.counted()).toBe(2);
});
