import { sql } from "kysely";
import { beforeEach, expect, test } from "vitest";
import { testApi } from "../../../tests/support/api.ts";
import { accountRow, campaignRow, connectionRow } from "../../../tests/support/campaign-rows.ts";
import { testDatabase } from "../../../tests/support/database.ts";
import type { Usage } from "../../contract/settings.ts";
import { ownerOf } from "../db/owner.ts";
import { mountUsage } from "./routes.ts";
import { usageService } from "./service.ts";

const { db } = await testDatabase();
/** 21:30 on 30 November in São Paulo, 20:30 in Manaus, December in London. */
const NOW = new Date("2026-12-01T00:30:00Z");
let zone = "America/Sao_Paulo";
let limit: number | null = null;
const clock = { now: () => NOW };
const service = usageService({ clock, planOf: async () => ({ timeZone: zone, monthlyLimit: limit }) });
const api = testApi(db, (app) => mountUsage(app, service));

beforeEach(async () => {
  zone = "America/Sao_Paulo";
  limit = null;
  await sql`truncate account cascade`.execute(db);
});

async function day(campaign: number, date: string, accepted: number) {
  await sql`insert into campaign_day (campaign_id, day, accepted) values (${campaign}, ${date}, ${accepted})`.execute(
    db,
  );
}

let message = 0;
async function single(account: string, connection: number, at: string, status = 7) {
  await sql`insert into outbox (account_id, connection_id, phone, text, message_id, body_hash, status, at)
    values (${account}::uuid, ${connection}, 5511987654321, 'Oi', ${`M${++message}`}, '', ${status}, ${at})`.execute(
    db,
  );
}

test("the month is the account's own, and counts what WhatsApp took @spec 2.59,9.16 @decision 16", async () => {
  const account = await accountRow(db);
  const connection = await connectionRow(db, account);
  const campaign = await campaignRow(db, account, { people: { sent: 1 } });
  await day(campaign, "2026-11-01", 100);
  await day(campaign, "2026-11-30", 20);
  await day(campaign, "2026-10-31", 7);
  for (const [at, status] of [
    ["2026-11-30T23:59:00Z", 6],
    ["2026-12-01T00:10:00Z", 8],
    ["2026-11-01T02:59:00Z", 6],
    ["2026-11-20T12:00:00Z", 5],
    ["2026-11-20T12:00:00Z", 4],
  ] as const)
    await single(account, connection, at, status);
  const other = await accountRow(db);
  await day(await campaignRow(db, other), "2026-11-10", 999);
  limit = 20_000;
  const { body } = await api(account)<Usage>("GET", "/api/settings/usage");
  expect(body).toEqual({
    month: "2026-11",
    campaigns: 120,
    single: 2,
    total: 122,
    limit: 20_000,
    renewsAt: "2026-12-01T03:00:00.000Z",
    history: [{ month: "2026-10", total: 8 }],
    limits: expect.any(Array),
  });
  expect(body.limits).toContainEqual({ name: "numbers", most: 50, used: 1 });
  expect(body.limits.map(({ name }) => name)).not.toContain("letters_an_hour");
  zone = "Europe/London";
  const { body: london } = await api(account)<Usage>("GET", "/api/settings/usage");
  expect(london).toMatchObject({ month: "2026-12", total: 1, renewsAt: "2027-01-01T00:00:00.000Z" });
});

test("twelve months at most, and an account without a message has none", async () => {
  const account = await accountRow(db);
  const empty = await api(account)<Usage>("GET", "/api/settings/usage");
  expect(empty.body).toMatchObject({ month: "2026-11", total: 0, limit: null, history: [] });
  const campaign = await campaignRow(db, account);
  for (let month = 1; month <= 12; month++)
    await day(campaign, `2026-${String(month).padStart(2, "0")}-05`, month);
  for (const month of ["2025-11", "2025-10"]) await day(campaign, `${month}-05`, 1);
  const { body } = await api(account)<Usage>("GET", "/api/settings/usage");
  expect(body.history.map(({ month }) => month)).toEqual([
    "2026-10",
    "2026-09",
    "2026-08",
    "2026-07",
    "2026-06",
    "2026-05",
    "2026-04",
    "2026-03",
    "2026-02",
    "2026-01",
    "2025-11",
  ]);
});

test("deleting a connection takes nothing off the bill: its messages were sent all the same", async () => {
  const account = await accountRow(db);
  const connection = await connectionRow(db, account);
  await single(account, connection, "2026-11-10T12:00:00Z");
  await single(account, connection, "2026-11-10T13:00:00Z");
  await single(account, connection, "2026-11-11T13:00:00Z", 5);
  await sql`delete from connection where id = ${connection}`.execute(db);
  expect((await service.usage(ownerOf(db, account))).single).toBe(2);
  await sql`delete from account where id = ${account}`.execute(db);
  expect((await sql`select * from direct_message_usage`.execute(db)).rows).toEqual([]);
});
