import { sql } from "kysely";
import { beforeEach, expect, test } from "vitest";
import { testApi } from "../../../tests/support/api.ts";
import { accountRow, campaignRow } from "../../../tests/support/campaign-rows.ts";
import { testDatabase } from "../../../tests/support/database.ts";
import type { CampaignPage, Outcome } from "../../contract/campaigns.ts";
import type { Dashboard } from "../../contract/dashboard.ts";
import type { ErrorAnswer } from "../../contract/error-messages.ts";
import { mountDashboard } from "../dashboard/routes.ts";
import { dashboardService } from "../dashboard/service.ts";
import { mountCampaigns } from "./routes.ts";
import { CampaignService } from "./service.ts";

const { db } = await testDatabase();
const clock = { now: () => new Date("2026-11-19T17:00:00Z") };
const campaigns = new CampaignService({ clock, changes: { mark: () => undefined }, random32: () => 1 });
const api = testApi(db, (app) => {
  mountCampaigns(app, campaigns);
  mountDashboard(app, dashboardService({ clock, campaigns }));
});

let account = "";
beforeEach(async () => {
  account = await accountRow(db);
});

const list = async (query: string, who = account) =>
  (await api(who)<CampaignPage>("GET", `/api/campaigns?${query}`)).body;
const names = async (query: string) => (await list(query)).items.map(({ name }) => name);
const dashboard = async (query = "") => (await api(account)<Dashboard>("GET", `/api/dashboard${query}`)).body;

type Counts = { accepted?: number; failed?: number; uncertain?: number; delivered?: number; read?: number };

async function dayRow(campaignId: number, day: string, counts: Counts) {
  const { accepted = 0, failed = 0, uncertain = 0, delivered = 0, read = 0 } = counts;
  await sql`insert into campaign_day (campaign_id, day, accepted, failed, uncertain, delivered, read)
    values (${campaignId}, ${day}, ${accepted}, ${failed}, ${uncertain}, ${delivered}, ${read})`.execute(db);
}

async function history() {
  const old = await campaignRow(db, account, { name: "velha", people: { sent: 4, error: 2 } });
  await dayRow(old, "2026-11-12", { accepted: 4, failed: 2 });
  const long = await campaignRow(db, account, {
    name: "longa",
    people: { sent: 1, delivered: 2, read: 3, error: 1, uncertain: 2 },
  });
  await dayRow(long, "2026-11-13", { accepted: 4, failed: 1, uncertain: 2 });
  await dayRow(long, "2026-11-19", { accepted: 2, delivered: 5, read: 2 });
  const late = await campaignRow(db, account, { name: "só avisos", people: { delivered: 3 } });
  await dayRow(late, "2026-11-12", { accepted: 3 });
  await dayRow(late, "2026-11-14", { delivered: 3 });
  await campaignRow(db, account, { name: "rascunho", status: "draft" });
  const stranger = await campaignRow(db, await accountRow(db), { people: { sent: 50, error: 9 } });
  await dayRow(stranger, "2026-11-13", { accepted: 50, failed: 9 });
  return { old, long, late };
}

test("a period finds the campaigns that sent or were confirmed in it, and what became of their messages then", async () => {
  await history();
  const week = await list("from=2026-11-13&to=2026-11-19");
  expect(week.items.map(({ name, inPeriod }) => [name, inPeriod])).toEqual([
    ["só avisos", { attempts: 0, accepted: 0, confirmed: 3, read: 0, errors: 0, uncertain: 0 }],
    ["longa", { attempts: 9, accepted: 6, confirmed: 5, read: 2, errors: 1, uncertain: 2 }],
  ]);
  expect(week.found).toEqual({
    campaigns: 2,
    attempts: 9,
    accepted: 6,
    confirmed: 8,
    read: 2,
    errors: 1,
    uncertain: 2,
    rate: 6 / 9,
  });
  expect(await names("to=2026-11-12")).toEqual(["só avisos", "velha"]);
  expect(await names("from=2026-11-14")).toEqual(["só avisos", "longa"]);
  expect(await names("from=2026-11-14&to=2026-11-14")).toEqual(["só avisos"]);
  expect(await names("from=2026-11-19&to=2026-11-13")).toEqual([]);
});

test("an outcome finds the campaigns that have it, on the days asked for if there are any", async () => {
  const { old } = await history();
  expect(await names("outcome=attempts")).toEqual(["só avisos", "longa", "velha"]);
  expect(await names("outcome=errors")).toEqual(["longa", "velha"]);
  expect(await names("outcome=uncertain")).toEqual(["longa"]);
  expect(await names("outcome=confirmed")).toEqual(["só avisos", "longa"]);
  expect(await names("outcome=read")).toEqual(["longa"]);
  expect(await names("outcome=errors&from=2026-11-13")).toEqual(["longa"]);
  expect(await names(`outcome=errors&campaign=${old}`)).toEqual(["velha"]);
  expect(await names("outcome=errors&status=completed")).toEqual([]);
  expect((await list("outcome=errors")).items.map(({ inPeriod }) => inPeriod)).toEqual([null, null]);
});

test("the sums are those of all pages, and do not change from page to page", async () => {
  await history();
  const first = await list("outcome=attempts&limit=1");
  const second = await list(`outcome=attempts&limit=1&after=${first.next}`);
  expect(first.found).toMatchObject({ campaigns: 3, attempts: 18, accepted: 13, errors: 3, uncertain: 2 });
  expect(second.found).toEqual(first.found);
});

test("every figure of the dashboard is the sum that the list it leads to shows", async () => {
  const { long } = await history();
  for (const campaign of [undefined, long]) {
    const only = campaign === undefined ? "" : `&campaign=${campaign}`;
    const { gauge, cards, days, statuses } = await dashboard(`?days=30${only}`);
    const sums: Record<Outcome, number> = {
      attempts: gauge.attempts,
      accepted: gauge.delivered,
      confirmed: gauge.confirmed,
      read: gauge.read,
      errors: gauge.errors,
      uncertain: gauge.uncertain,
    };
    for (const [outcome, sum] of Object.entries(sums))
      expect((await list(`outcome=${outcome}${only}`)).found[outcome as Outcome]).toBe(sum);
    const { found } = await list(`outcome=attempts${only}`);
    expect([found.accepted, found.rate]).toEqual([cards.sent.value, cards.rate.value]);
    expect(days).toHaveLength(30);
    for (const { day, sent, delivered, confirmed } of days) {
      const on = (await list(`from=${day}&to=${day}${only}`)).found;
      expect([on.attempts, on.accepted, on.confirmed]).toEqual([sent, delivered, confirmed]);
    }
    for (const [status, n] of Object.entries(statuses.byStatus))
      expect((await list(`status=${status}${only}`)).found.campaigns).toBe(n);
  }
});

test("a doubt that was settled on another day counts against the day it was settled on, in list and chart alike", async () => {
  const id = await campaignRow(db, account, { people: { sent: 9, skipped: 1 } });
  await dayRow(id, "2026-11-18", { accepted: 9, uncertain: 1 });
  await dayRow(id, "2026-11-19", { uncertain: -1 });
  const { days } = await dashboard();
  expect(days.slice(-2).map(({ sent }) => sent)).toEqual([10, -1]);
  expect((await list("from=2026-11-19&to=2026-11-19")).found).toMatchObject({ campaigns: 1, attempts: -1 });
});

test("a share of days on which doubts were only settled is none, and never more than all", async () => {
  const id = await campaignRow(db, account, { people: { sent: 9, skipped: 1 } });
  await dayRow(id, "2026-11-17", { accepted: 4, uncertain: 5 });
  await dayRow(id, "2026-11-18", { accepted: 5, uncertain: -4 });
  await dayRow(id, "2026-11-19", { uncertain: -1 });
  const rateOn = async (day: string) => (await list(`from=${day}&to=${day}`)).found.rate;
  expect(await Promise.all(["2026-11-17", "2026-11-18", "2026-11-19"].map(rateOn))).toEqual([4 / 9, 1, null]);
});

test("another account's campaign finds nothing, like one that is missing", async () => {
  const { long } = await history();
  const stranger = await accountRow(db);
  const theirs = await list(`campaign=${long}`, stranger);
  expect(theirs).toEqual(await list("campaign=999999", stranger));
  expect(theirs.found).toMatchObject({ campaigns: 0, attempts: 0, rate: null });
});

test.each(["from=ontem", "to=2026-02-30", "from=0001-01-01", "outcome=lidos", "campaign=x"])(
  "?%s is refused by its name",
  async (query) => {
    const answer = await api(account)<ErrorAnswer>("GET", `/api/campaigns?${query}`);
    expect(answer).toMatchObject({ status: 422, body: { code: "invalid_fields" } });
    expect(Object.keys(answer.body.fields ?? {})).toEqual([query.split("=")[0]]);
  },
);

test("the chart has as many days as are asked for, of those it offers", async () => {
  const lengths = await Promise.all(["", "?days=30", "?days=90"].map(async (q) => (await dashboard(q)).days));
  expect(lengths.map((days) => days.length)).toEqual([7, 30, 90]);
  expect(lengths[2]?.at(0)?.day).toBe("2026-08-22");
  expect((await api(account)("GET", "/api/dashboard?days=8")).status).toBe(422);
});
