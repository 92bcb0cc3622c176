import { sql } from "kysely";
import { beforeEach, describe, expect, test } from "vitest";
import { testApi } from "../../../tests/support/api.ts";
import {
  accountRow,
  type CampaignSketch,
  campaignRow,
  connectionRow,
  listRow,
} from "../../../tests/support/campaign-rows.ts";
import { testDatabase } from "../../../tests/support/database.ts";
import type { CampaignCalendar } from "../../contract/campaign-calendar.ts";
import { recommendedPlan } from "../../domain/number-plan.ts";
import { mountCampaigns } from "./routes.ts";
import { CampaignService } from "./service.ts";

const { db } = await testDatabase();
/** A Wednesday, 9:00 in São Paulo. */
const WEDNESDAY = new Date("2026-11-18T12:00:00Z");
let now = WEDNESDAY;
const deps = { clock: { now: () => now }, changes: { mark: () => undefined }, random32: () => 1 };
const api = testApi(db, (app) => mountCampaigns(app, new CampaignService(deps)));
const PLAN = {
  ...recommendedPlan("2026-01-01"),
  ramp: { from: 10, to: 10, days: 1 },
  restsOnHolidays: true,
};

let account = "";
let connectionId = 0;
beforeEach(async () => {
  now = WEDNESDAY;
  account = await accountRow(db);
  connectionId = await connectionRow(db, account);
});

const ask = (query = "", of = account) => api(of)<CampaignCalendar>("GET", `/api/campaign-calendar${query}`);
const read = async (query = "") => (await ask(query)).body;
const plan = (id = connectionId) =>
  sql`insert into number_plan (connection_id, plan) values (${id}, ${JSON.stringify(PLAN)}::jsonb)`.execute(
    db,
  );

type Times = { started?: string; lastSent?: string; deliveries?: string };

async function campaign(sketch: CampaignSketch, times: Times = {}): Promise<number> {
  const id = await campaignRow(db, account, { connectionId, ...sketch });
  const { started, lastSent = started, deliveries = lastSent } = times;
  if (started)
    await sql`update campaign set started_at = ${started}::timestamptz, last_sent_at = ${lastSent}::timestamptz
      where id = ${id}`.execute(db);
  if (deliveries)
    await sql`update delivery set at = ${deliveries}::timestamptz where campaign_id = ${id} and at is not null`.execute(
      db,
    );
  return id;
}

const running = (pending: number, more: CampaignSketch = {}) =>
  campaign(
    { name: "Retorno", status: "sending", people: { pending }, ...more },
    { started: "2026-11-17T12:00:00Z" },
  );
const scheduled = async (people: number, at: string, more: CampaignSketch = {}) =>
  campaign({
    name: "Natal",
    status: "scheduled",
    listId: await listRow(db, account, people),
    scheduledAt: new Date(at),
    ...more,
  });
const shown = ({ campaigns }: CampaignCalendar) =>
  campaigns.map(({ name, first, last, why }) => [name, first, last, why]);
const loadOn = ({ numbers }: CampaignCalendar, day: string) =>
  numbers.map(({ days }) => days.find((each) => each.day === day));

test("an account without campaigns has an empty month, that of its zone", async () => {
  now = new Date("2026-12-01T02:00:00Z");
  expect(await read()).toEqual({
    month: "2026-11",
    today: "2026-11-30",
    campaigns: [],
    cut: false,
    holidays: [],
    numbers: [],
    conflicts: { shared: [], often: { people: 0, from: null, to: null, weeklyLimit: null } },
  });
});

test("what was sent stands on its local days, at the month's edges too", async () => {
  await campaign({ name: "Outubro", people: { read: 1 } }, { started: "2026-11-01T02:30:00Z" });
  await campaign({ name: "Primeira", people: { read: 1 } }, { started: "2026-11-01T03:30:00Z" });
  await campaign(
    { name: "Longa", people: { read: 2 } },
    { started: "2026-10-20T12:00:00Z", lastSent: "2026-11-06T02:00:00Z" },
  );
  await campaign({ name: "Última", people: { read: 1 } }, { started: "2026-12-06T02:30:00Z" });
  await campaign({ name: "Dezembro", people: { read: 1 } }, { started: "2026-12-06T03:30:00Z" });
  await campaign({ name: "Rascunho", status: "draft" });
  expect(shown(await read("?month=2026-11")).toSorted()).toEqual([
    ["Longa", "2026-10-20", "2026-11-05", null],
    ["Primeira", "2026-11-01", "2026-11-01", null],
    ["Última", "2026-12-05", "2026-12-05", null],
  ]);
  expect((await read("?month=2026-10")).campaigns.map(({ name }) => name).toSorted()).toEqual([
    "Longa",
    "Outubro",
  ]);
});

test("a number's load is what it sent, deleted campaigns included, and what its plan lets leave", async () => {
  await plan();
  const old = await campaign({ people: { read: 1 } }, { started: "2026-11-05T12:00:00Z" });
  const gone = await campaign({ people: { read: 1 } }, { started: "2026-11-05T12:00:00Z" });
  await sql`update campaign set deleted_at = now() where id = ${gone}`.execute(db);
  for (const id of [old, gone])
    await sql`insert into campaign_day (campaign_id, day, accepted, unconfirmed)
      values (${id}, '2026-11-05', 30, 2)`.execute(db);
  await running(25);
  const calendar = await read();
  expect(shown(calendar)).toContainEqual(["Retorno", "2026-11-17", "2026-11-21", null]);
  expect(calendar.campaigns).toHaveLength(2);
  expect(calendar.numbers).toMatchObject([{ connectionId, name: "Matriz", planned: true }]);
  const days = ["2026-11-05", "2026-11-18", "2026-11-20", "2026-11-21"].flatMap((day) =>
    loadOn(calendar, day),
  );
  expect(days).toEqual([
    { day: "2026-11-05", sent: 64, predicted: 0, cold: 0, wanted: 0, budget: null },
    { day: "2026-11-18", sent: 0, predicted: 10, cold: 10, wanted: 10, budget: 10 },
    { day: "2026-11-20", sent: 0, predicted: 0, cold: 0, wanted: 0, budget: 0 },
    { day: "2026-11-21", sent: 0, predicted: 5, cold: 5, wanted: 5, budget: 10 },
  ]);
  expect(calendar.holidays).toEqual(["2026-11-02", "2026-11-15", "2026-11-20"]);
});

test("without a plan the pace says the end, and the reason is given where there is none", async () => {
  await running(100, { name: "Ritmo", intervalS: 3600 });
  await running(5, { name: "Sem ritmo", intervalS: 0 });
  await campaign(
    { name: "Parada", status: "paused", people: { pending: 5 } },
    { started: "2026-11-10T12:00:00Z" },
  );
  await campaign({ name: "Sem lista", status: "scheduled", scheduledAt: new Date("2026-11-25T12:00:00Z") });
  expect(shown(await read()).toSorted()).toEqual([
    ["Parada", "2026-11-10", null, "paused"],
    ["Ritmo", "2026-11-17", "2026-11-22", null],
    ["Sem lista", "2026-11-25", null, "audience_gone"],
    ["Sem ritmo", "2026-11-17", null, "unknown_pace"],
  ]);
});

test("«Conexão padrão» counts for the connection that would serve, or for none", async () => {
  await scheduled(4, "2026-11-19T12:00:00Z", { connectionId: null, intervalS: 60 });
  expect((await read()).campaigns).toMatchObject([
    { connectionId, connectionName: "Matriz", first: "2026-11-19", last: "2026-11-19", people: 4 },
  ]);
  await sql`update connection set state = 'disconnected' where id = ${connectionId}`.execute(db);
  expect((await read()).campaigns).toMatchObject([
    { connectionId: null, last: null, why: "no_connection", people: null },
  ]);
});

describe("conflicts", () => {
  test("campaigns that share a number's days are named, with what that does to their ends", async () => {
    await plan();
    const first = await running(25);
    const second = await scheduled(15, "2026-11-19T11:00:00Z");
    await scheduled(2, "2026-11-30T11:00:00Z", { name: "Depois" });
    const elsewhere = await connectionRow(db, account, "connected", "Filial");
    await scheduled(2, "2026-11-19T11:00:00Z", { name: "Outro número", connectionId: elsewhere });
    const calendar = await read("?month=2026-12");
    expect(calendar.conflicts.shared).toEqual([
      {
        connectionId,
        name: "Matriz",
        from: "2026-11-19",
        to: "2026-11-23",
        campaigns: [
          { id: first, name: "Retorno", scheduled: false, alone: "2026-11-21", together: "2026-11-23" },
          { id: second, name: "Natal", scheduled: true, alone: "2026-11-21", together: "2026-11-23" },
        ],
      },
    ]);
    const [load] = loadOn(await read(), "2026-11-19");
    expect(load).toMatchObject({ predicted: 10, cold: 10, wanted: 20, budget: 10 });
  });

  const often = async () => (await read()).conflicts.often;

  test("people that three campaigns reach in seven days are counted, wherever the three stand", async () => {
    await campaign({ people: { read: 3 } }, { started: "2026-11-16T12:00:00Z" });
    await running(2);
    await scheduled(4, "2026-11-21T12:00:00Z");
    const found = { people: 2, from: "2026-11-16", to: "2026-11-21", weeklyLimit: null };
    expect(await often()).toEqual(found);
    await scheduled(1, "2026-11-22T12:00:00Z");
    expect(await often()).toEqual({ ...found, to: "2026-11-22" });
    await sql`insert into opt_out (account_id, phone, source) values (${account}::uuid, 5511900000000, 'manual')`.execute(
      db,
    );
    await sql`update account set campaigns_per_week = 2 where id = ${account}::uuid`.execute(db);
    expect(await often()).toEqual({ ...found, people: 1, weeklyLimit: 2 });
  });

  test("messages older than seven days, errors and people left out do not count", async () => {
    await campaign({ people: { read: 3 } }, { started: "2026-11-16T12:00:00Z" });
    await campaign(
      { people: { read: 3 } },
      { started: "2026-11-16T12:00:00Z", deliveries: "2026-11-09T12:00:00Z" },
    );
    await campaign({ people: { error: 2, skipped: 1 } }, { started: "2026-11-16T12:00:00Z" });
    await scheduled(3, "2026-11-21T12:00:00Z");
    expect(await often()).toMatchObject({ people: 0 });
    await scheduled(3, "2026-11-24T12:00:00Z");
    expect(await often()).toMatchObject({ people: 0 });
    await scheduled(3, "2026-11-22T12:00:00Z");
    expect(await often()).toMatchObject({ people: 3, from: "2026-11-16" });
  });

  test("what is over is no conflict that can still be avoided", async () => {
    for (let i = 0; i < 3; i++) await campaign({ people: { read: 3 } }, { started: "2026-11-17T12:00:00Z" });
    expect(await often()).toMatchObject({ people: 0 });
    await scheduled(1, "2026-11-30T12:00:00Z");
    expect(await often()).toMatchObject({ people: 0 });
  });
});

test("another account sees nothing of it", async () => {
  await plan();
  const done = await campaign({ people: { read: 3 } }, { started: "2026-11-16T12:00:00Z" });
  await sql`insert into campaign_day (campaign_id, day, accepted) values (${done}, '2026-11-16', 3)`.execute(
    db,
  );
  await running(13);
  await scheduled(3, "2026-11-19T12:00:00Z", { connectionId: null });
  const own = await read();
  expect([own.campaigns.length, own.conflicts.shared.length, own.conflicts.often?.people]).toEqual([3, 1, 3]);
  const other = await accountRow(db);
  const { body } = await ask("", other);
  await campaignRow(db, other, {
    status: "scheduled",
    connectionId: await connectionRow(db, other),
    listId: await listRow(db, other, 3),
    scheduledAt: new Date("2026-11-19T12:00:00Z"),
  });
  const { conflicts } = (await ask("", other)).body;
  expect(body).toMatchObject({ campaigns: [], numbers: [], holidays: [], conflicts: { shared: [] } });
  expect(conflicts).toMatchObject({ shared: [], often: { people: 0 } });
});

test.each(["2026-13", "2026", "1999-01", "2026-11-01", "x"])("month %s is refused", async (month) => {
  expect((await ask(`?month=${month}`)).status).toBe(422);
});
