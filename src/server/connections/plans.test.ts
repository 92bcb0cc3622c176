import { sql } from "kysely";
import { beforeEach, expect, test } from "vitest";
import { testApi } from "../../../tests/support/api.ts";
import { accountRow } from "../../../tests/support/campaign-rows.ts";
import { testDatabase } from "../../../tests/support/database.ts";
import { manualClock } from "../../../tests/support/manual-clock.ts";
import { makeCampaign, makeConnection } from "../../../tests/support/sending.ts";
import type { PlanView } from "../../contract/number-plans.ts";
import { recommendedPlan } from "../../domain/number-plan.ts";
import { upkeepOf } from "../sending/sending.ts";
import { PlanService } from "./plans.ts";
import { mountPlans } from "./routes.ts";

const { db } = await testDatabase();
/** A Friday, 9:00 in São Paulo. */
const clock = manualClock(new Date("2026-11-27T12:00:00Z"));
const marked: unknown[] = [];
const changes = { mark: (...what: unknown[]) => void marked.push(what) };
const api = testApi(db, (app) => mountPlans(app, new PlanService({ clock, changes })));

const RECOMMENDED = recommendedPlan("2026-11-23");
let account = "";
let id = 0;
beforeEach(async () => {
  account = await accountRow(db);
  id = await makeConnection(db, account);
});
const path = () => `/api/connections/${id}/plan`;
const show = async () => (await api(account)<PlanView>("GET", path())).body;
const store = (plan: unknown, accepts: string[] = []) =>
  api(account)<PlanView & { code: string; details: { risks: string[] } }>("PUT", path(), { plan, accepts });
const began = (at: string, campaignId: number | null = null) =>
  sql`insert into cold_message (connection_id, at, campaign_id) values (${id}, ${at}::timestamptz, ${campaignId})`.execute(
    db,
  );

test("without a plan nothing is held back, and the recommended one is taken over without a question", async () => {
  expect(await show()).toMatchObject({
    plan: null,
    risks: ["no_plan"],
    state: "open",
    until: null,
    budget: null,
  });
  const { status, body } = await store(RECOMMENDED);
  expect(status).toBe(200);
  expect(body).toMatchObject({ plan: RECOMMENDED, risks: [], state: "open", budget: 60 });
  expect(body.until).toBe("2026-11-27T23:00:00.000Z");
  expect(marked).toContainEqual([account, "connections", id]);
});

test("WhatsApp's quota stands beside the plan and bounds today's budget, until its cycle ends", async () => {
  const read = async (used: number, until: string) => {
    const quota = { total: 100, used, capped: false, until, readAt: "2026-11-27T11:00:00.000Z" };
    await sql`update connection set new_chats = ${JSON.stringify(quota)}::jsonb where id = ${id}`.execute(db);
    return show();
  };
  await store(RECOMMENDED);
  await began("2026-11-27T10:30:00Z");
  await began("2026-11-27T11:30:00Z");
  expect(await show()).toMatchObject({ newChats: null, budget: 58, coldToday: 2 });
  const until = "2026-11-27T15:00:00.000Z";
  expect(await read(0, until)).toMatchObject({ newChats: { left: 100 }, budget: 58, state: "open" });
  expect(await read(63, until)).toMatchObject({ newChats: { total: 100, used: 63, left: 37 }, budget: 36 });
  expect(await read(99, until)).toMatchObject({ newChats: { left: 1 }, budget: 0, state: "used_up", until });
  expect(await read(99, "2026-11-27T12:00:00.000Z")).toMatchObject({
    newChats: null,
    budget: 58,
    state: "open",
  });
});

test("new conversations are counted by local day and by what began them", async () => {
  await store(RECOMMENDED);
  const campaignId = await makeCampaign(db, account, { connectionId: id });
  await sql`update campaign set name = 'Retorno anual' where id = ${campaignId}`.execute(db);
  await began("2026-11-27T02:30:00Z");
  await began("2026-11-27T03:30:00Z", campaignId);
  await began("2026-11-27T11:00:00Z", campaignId);
  await began("2026-11-27T11:30:00Z");
  await began("2026-11-01T11:30:00Z");
  const { days, uses, coldToday, budget } = await show();
  expect(coldToday).toBe(3);
  expect(budget).toBe(57);
  expect(uses).toEqual([
    { campaignId, name: "Retorno anual", cold: 2 },
    { campaignId: null, name: null, cold: 1 },
  ]);
  expect(days).toHaveLength(15);
  expect(days.filter(({ cold }) => cold)).toEqual([
    { day: "2026-11-26", cold: 1, budget: 50 },
    { day: "2026-11-27", cold: 3, budget: 60 },
  ]);
  expect(days.filter(({ cold }) => cold === null).map(({ budget: left }) => left)).toEqual([
    70, 0, 90, 100, 110, 120, 130,
  ]);
});

test("what goes past a recommended bound is asked once, and written into the activity", async () => {
  await store(RECOMMENDED);
  const risky = { ...RECOMMENDED, coldGapS: { least: 5, most: 10 }, rest: null };
  const refused = await store(risky);
  expect(refused.status).toBe(409);
  expect(refused.body).toMatchObject({ code: "plan_risky", details: { risks: ["cold_gap", "rest"] } });
  expect((await store(risky, ["rest"])).body.details.risks).toEqual(["cold_gap"]);
  expect((await show()).plan).toEqual(RECOMMENDED);
  expect((await store(risky, ["rest", "cold_gap"])).status).toBe(200);
  expect((await store({ ...risky, restsOnHolidays: true })).status, "asked once").toBe(200);
  const { rows } = await sql<{ details: unknown }>`select details from audit_event
    where account_id = ${account}::uuid and kind = 'plan_changed' order by id`.execute(db);
  expect(rows.map(({ details }) => details)).toEqual([
    { risks: "" },
    { risks: "cold_gap rest" },
    { risks: "cold_gap rest" },
  ]);
  expect((await store(null)).body.details.risks).toEqual(["no_plan"]);
  expect((await store(null, ["no_plan"])).body.plan).toBeNull();
});

test("a state says what the number does now and until when", async () => {
  await store({ ...RECOMMENDED, ramp: { from: 1, to: 1, days: 1 } });
  await began("2026-11-27T11:00:00Z");
  expect(await show()).toMatchObject({ state: "used_up", until: "2026-11-28T11:00:00.000Z", budget: 0 });
  await sql`update number_plan set rests_until = '2026-11-27T12:15:00Z' where connection_id = ${id}`.execute(
    db,
  );
  expect(await show()).toMatchObject({ state: "resting", until: "2026-11-27T12:15:00.000Z" });
  await store({ ...RECOMMENDED, hours: [null, null, null, null, null, { from: 600, to: 720 }, null] });
  expect(await show()).toMatchObject({ state: "closed", until: "2026-11-28T13:00:00.000Z" });
  await store({ ...RECOMMENDED, hours: Array.from({ length: 7 }, () => null) });
  expect(await show()).toMatchObject({ state: "never_opens", until: null });
});

test.each([
  [
    "hours that end before they begin",
    { hours: [{ from: 600, to: 600 }, null, null, null, null, null, null] },
    "plan.hours.0.to",
  ],
  ["six days", { hours: [null, null, null, null, null, null] }, "plan.hours"],
  ["a gap turned round", { coldGapS: { least: 10, most: 5 } }, "plan.coldGapS.most"],
  ["a day that does not exist", { inUseSince: "2026-02-30" }, "plan.inUseSince"],
  ["half a conversation", { ramp: { from: 0.5, to: 2, days: 3 } }, "plan.ramp.from"],
])("%s is refused at its field", async (_, part, field) => {
  const { status, body } = await store({ ...RECOMMENDED, ...part });
  expect(status).toBe(422);
  expect(Object.keys((body as unknown as { fields: object }).fields)).toContain(field);
});

test("new conversations are kept as long as a campaign may count them", async () => {
  for (const days of [399, 401])
    await sql`insert into cold_message (connection_id, at) values (${id}, now() - ${days} * interval '1 day')`.execute(
      db,
    );
  await upkeepOf(db).prune();
  const { rows } = await sql<{
    days: number;
  }>`select extract(day from now() - at)::int as days from cold_message
    where connection_id = ${id}`.execute(db);
  expect(rows).toEqual([{ days: 399 }]);
});

test("another account's number answers like a missing one", async () => {
  const other = await accountRow(db);
  expect((await api(other)("GET", path())).status).toBe(404);
  expect((await api(other)("PUT", path(), { plan: RECOMMENDED })).status).toBe(404);
  expect((await show()).plan).toBeNull();
});
