import { sql } from "kysely";
import { beforeEach, expect, test } from "vitest";
import { testApi } from "../../../tests/support/api.ts";
import { accountRow, campaignRow, connectionRow, listRow } from "../../../tests/support/campaign-rows.ts";
import { testDatabase } from "../../../tests/support/database.ts";
import type { Dashboard } from "../../contract/dashboard.ts";
import { DELIVERY } from "../../domain/delivery.ts";
import { CampaignService } from "../campaigns/service.ts";
import { settle } from "../sending/ledger/settle.ts";
import { mountDashboard } from "./routes.ts";
import { dashboardService } from "./service.ts";

const { db } = await testDatabase();
// 23:30 on the 19th in São Paulo, 0:30 on the 20th in Noronha.
const clock = { now: () => new Date("2026-11-20T02:30:00Z") };
const campaigns = new CampaignService({ clock, changes: { mark: () => undefined }, random32: () => 1 });
const api = testApi(db, (app) => mountDashboard(app, dashboardService({ clock, campaigns })));

let account = "";
let connectionId = 0;
beforeEach(async () => {
  account = await accountRow(db);
  connectionId = await connectionRow(db, account);
});

const get = async (query = "", who = account) =>
  (await api(who)<Dashboard>("GET", `/api/dashboard${query}`)).body;

type Counts = {
  accepted?: number;
  failed?: number;
  uncertain?: number;
  delivered?: number;
  read?: number;
  seconds?: number;
};

async function dayRow(campaignId: number, day: string, counts: Counts) {
  const { accepted = 0, failed = 0, uncertain = 0, delivered = 0, read = 0, seconds = 0 } = counts;
  await sql`insert into campaign_day (campaign_id, day, accepted, failed, uncertain, delivered, read, first_at, last_at)
    values (${campaignId}, ${day}, ${accepted}, ${failed}, ${uncertain}, ${delivered}, ${read},
      ${day}::date + interval '12 hours', ${day}::date + interval '12 hours' + ${seconds} * interval '1 second')`.execute(
    db,
  );
}

test("an account without campaigns: zeros where they are true, nothing where there is no data @spec 9.5 @decision 14", async () => {
  const empty = await get();
  expect(empty.cards).toEqual({
    sent: { value: 0, change: null },
    contacts: { value: 0, change: null },
    rate: { value: null, change: null, confirmed: null },
    interval: { value: null, change: null },
  });
  expect(empty.days.map((point) => point.sent)).toEqual([0, 0, 0, 0, 0, 0, 0]);
  expect(empty.statuses.total).toBe(0);
  expect(empty.gauge).toMatchObject({ rate: null, attempts: 0 });
  expect([empty.recent, empty.options]).toEqual([[], []]);
});

test("cards: totals from counters, change from the last 30 days against the 30 before @spec 9.5,9.6 @decision 14", async () => {
  const old = await campaignRow(db, account, { people: { sent: 70, error: 20, uncertain: 10 } });
  const recent = await campaignRow(db, account, { people: { delivered: 80, read: 60, error: 10 } });
  await dayRow(old, "2026-10-01", { accepted: 70, failed: 20, uncertain: 10, seconds: 69 * 60 });
  await dayRow(recent, "2026-11-18", { accepted: 61, failed: 5, delivered: 40, seconds: 60 * 30 });
  await dayRow(recent, "2026-11-19", { accepted: 79, failed: 5, delivered: 100, read: 60, seconds: 78 * 30 });
  const { cards, gauge } = await get();
  expect(cards.sent.value).toBe(210);
  expect(cards.sent.change).toBeCloseTo(1);
  expect(cards.rate.value).toBeCloseTo(210 / 250);
  expect(cards.rate.confirmed).toBeCloseTo(140 / 250);
  expect(cards.rate.change).toBeCloseTo(140 / 150 - 70 / 100);
  expect(cards.interval.value).toBeCloseTo((69 * 60 + 138 * 30) / 207 / 60);
  expect(cards.interval.change).toBeCloseTo(-0.5);
  expect(gauge).toMatchObject({
    attempts: 250,
    delivered: 210,
    confirmed: 140,
    read: 60,
    errors: 30,
    uncertain: 10,
  });
  expect(gauge.readRate).toBeCloseTo(60 / 250);
  expect(gauge.delivered + gauge.errors + gauge.uncertain).toBe(gauge.attempts);
});

test("the mean interval counts messages sent on one day, whenever confirmed", async () => {
  const [today, later] = await Promise.all(
    ["sending", "ended"].map((status) =>
      campaignRow(db, account, { status, people: { sending: status === "sending" ? 3 : 0, uncertain: 2 } }),
    ),
  );
  const { rows } = await sql<{ noon: Date }>`select
    (date_trunc('day', now(), 'America/Sao_Paulo') + interval '12 hours') as noon`.execute(db);
  const after = (seconds: number) => new Date((rows[0]?.noon.getTime() ?? 0) + seconds * 1_000);
  const sent = (id: number | undefined, seq: number, seconds: number) =>
    db.transaction().execute((tx) => settle(tx, id ?? 0, [{ seq, to: DELIVERY.sent, at: after(seconds) }]));
  for (const seq of [0, 1, 2]) await sent(today, seq, seq * 60);
  expect((await get()).cards.interval.value).toBe(1);
  await sent(today, 3, -3 * 86_400);
  for (const seq of [0, 1]) await sent(later, seq, -3 * 86_400 + seq * 60);
  const { interval, sent: messages } = (await get()).cards;
  expect(interval.value).toBeLessThanOrEqual(1);
  expect(messages.value).toBe(6);
});

test("contacts: all lists, against those of 30 days ago @spec 9.5", async () => {
  const first = await listRow(db, account, 10);
  await listRow(db, account, 5);
  await sql`update contact_list set created_at = '2026-10-01' where id = ${first}`.execute(db);
  expect((await get()).cards.contacts).toEqual({ value: 15, change: 0.5 });
  await sql`update contact_list set created_at = '2026-11-19' where account_id = ${account}::uuid`.execute(
    db,
  );
  expect((await get()).cards.contacts).toEqual({ value: 15, change: null });
});

test("the chart's days are those of the account's zone", async () => {
  const id = await campaignRow(db, account, { people: { sent: 3 } });
  await dayRow(id, "2026-11-19", { accepted: 3, failed: 1, delivered: 2 });
  const here = await get();
  expect(here.zone).toBe("America/Sao_Paulo");
  expect(here.days.at(-1)).toEqual({ day: "2026-11-19", sent: 4, delivered: 3, confirmed: 2 });
  const noronha = await accountRow(db, "America/Noronha");
  expect((await get("", noronha)).days.at(-1)?.day).toBe("2026-11-20");
});

test("statuses, the six newest campaigns, and the filter's options @spec 2.35,4.7", async () => {
  const listId = await listRow(db, account, 7);
  await campaignRow(db, account, { name: "velha", people: { sent: 1 } });
  await campaignRow(db, account, { name: "concluída", people: { sent: 3, read: 1 } });
  await campaignRow(db, account, { name: "com falhas", people: { sent: 3, error: 1 } });
  await campaignRow(db, account, {
    name: "em andamento",
    status: "sending",
    connectionId,
    people: { sent: 1, pending: 4 },
  });
  await campaignRow(db, account, { name: "pausada", status: "paused", connectionId, people: { pending: 4 } });
  const scheduledAt = new Date("2026-11-27T11:00:00Z");
  await campaignRow(db, account, { name: "agendada", status: "scheduled", listId, scheduledAt });
  await campaignRow(db, account, { name: "rascunho", status: "draft" });
  const { statuses, recent, options } = await get();
  expect(statuses).toEqual({
    total: 7,
    byStatus: {
      draft: 1,
      scheduled: 1,
      sending: 1,
      paused: 1,
      completed: 2,
      partially_completed: 1,
      failed: 0,
      cancelled: 0,
    },
  });
  expect(recent.map(({ name, status, messages, rate }) => [name, status, messages, rate])).toEqual([
    ["rascunho", "draft", null, null],
    ["agendada", "scheduled", 7, null],
    ["pausada", "paused", 4, null],
    ["em andamento", "sending", 5, 1],
    ["com falhas", "partially_completed", 4, 0.75],
    ["concluída", "completed", 4, 1],
  ]);
  expect(recent[1]?.date).toBe(scheduledAt.toISOString());
  expect(options.map((option) => option.name)).toHaveLength(7);
});

test("one campaign: its own figures everywhere @spec 7.4", async () => {
  const chosen = await campaignRow(db, account, { name: "A", people: { sent: 3, error: 1 } });
  const another = await campaignRow(db, account, { name: "B", people: { sent: 50 } });
  await dayRow(chosen, "2026-11-19", { accepted: 3, failed: 1 });
  await dayRow(another, "2026-11-19", { accepted: 50 });
  await listRow(db, account, 100);
  const one = await get(`?campaign=${chosen}`);
  expect(one.cards.sent.value).toBe(3);
  expect(one.cards.contacts).toEqual({ value: 4, change: null });
  expect(one.days.at(-1)?.sent).toBe(4);
  expect(one.statuses).toMatchObject({ total: 1, byStatus: { partially_completed: 1, completed: 0 } });
  expect(one.recent.map((row) => row.id)).toEqual([chosen]);
  expect(one.gauge.attempts).toBe(4);
  expect(one.options).toHaveLength(2);
});

test("the filter names the newest 200 and the selected campaign, on request all", async () => {
  const eldest = await campaignRow(db, account, { name: "a mais antiga", people: { sent: 1 } });
  expect(await get()).toMatchObject({ moreBefore: null });
  await sql`insert into campaign (account_id, name, status, zone, nonce)
    select ${account}::uuid, 'rascunho ' || n, 'draft', 'America/Sao_Paulo', -n from generate_series(1, 200) n`.execute(
    db,
  );
  const { options, moreBefore } = await get();
  expect(options).toHaveLength(200);
  expect(options.map(({ name }) => name)).not.toContain("a mais antiga");
  expect(moreBefore).toBe(options.at(-1)?.id);
  expect((await get(`?campaign=${eldest}`)).options.at(-1)).toEqual({ id: eldest, name: "a mais antiga" });
  type Names = { items: { id: number; name: string }[] };
  const all = (who: string) => api(who)<Names>("GET", "/api/dashboard/campaigns");
  const { items } = (await all(account)).body;
  expect(items).toHaveLength(201);
  expect([items[0]?.name, items.at(-1)]).toEqual(["rascunho 200", { id: eldest, name: "a mais antiga" }]);
  expect((await all(await accountRow(db))).body.items).toEqual([]);
});

test("a resend that was stopped before it began has no people to show yet, and one that was cancelled has none", async () => {
  const listId = await listRow(db, account, 100);
  const failed = await campaignRow(db, account, { listId, people: { sent: 97, error: 3 } });
  const resend = await campaignRow(db, account, { status: "paused", cause: "no_default_connection", listId });
  await sql`update campaign set started_at = null, resends_id = ${failed} where id = ${resend}`.execute(db);
  const contacts = async () => (await get(`?campaign=${resend}`)).cards.contacts.value;
  expect(await contacts()).toBe(null);
  await sql`update campaign set status = 'cancelled' where id = ${resend}`.execute(db);
  expect(await contacts()).toBe(0);
});

test("another account's campaign answers as missing and is in no other account's sums", async () => {
  const chosen = await campaignRow(db, account, { people: { sent: 3 } });
  await dayRow(chosen, "2026-11-19", { accepted: 3 });
  const stranger = await accountRow(db);
  const theirs = await api(stranger)("GET", `/api/dashboard?campaign=${chosen}`);
  const missing = await api(stranger)("GET", "/api/dashboard?campaign=999999");
  expect([theirs.status, theirs.body]).toEqual([404, missing.body]);
  const { cards, days } = await get("", stranger);
  expect([cards.sent.value, days.at(-1)?.sent]).toEqual([0, 0]);
  expect((await api(stranger)("GET", "/api/dashboard?campaign=x")).status).toBe(422);
});

test("deliveries are never counted: figures stay when their rows are gone", async () => {
  const id = await campaignRow(db, account, { people: { sent: 3, error: 1 } });
  await sql`delete from delivery where campaign_id = ${id}`.execute(db);
  expect((await get()).gauge).toMatchObject({ attempts: 4, delivered: 3 });
});
