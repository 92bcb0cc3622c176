import { sql } from "kysely";
import { beforeEach, expect, test } from "vitest";
import { testApi } from "../../../tests/support/api.ts";
import { accountRow, campaignRow, connectionRow } from "../../../tests/support/campaign-rows.ts";
import { chatRow } from "../../../tests/support/chat-rows.ts";
import { testDatabase } from "../../../tests/support/database.ts";
import type { Campaign, CampaignPage } from "../../contract/campaigns.ts";
import type { Dashboard } from "../../contract/dashboard.ts";
import type { ErrorAnswer } from "../../contract/error-messages.ts";
import { encodeMessageId } from "../../domain/message-id.ts";
import { findMessages } from "../chat/messages-repo.ts";
import { mountDashboard } from "../dashboard/routes.ts";
import { dashboardService } from "../dashboard/service.ts";
import { ownerOf } from "../db/owner.ts";
import { findEnded } from "../notifications/notices-repo.ts";
import { deletePeopleOfDeleted } from "../sending/campaigns/campaign-archive.ts";
import { usageByMonth } from "../sending/ledger/month-usage.ts";
import { recount } from "../sending/ledger/recount.ts";
import { applyReceipts } from "../sending/receipts/provider-receipts.ts";
import { settleReceipts } from "../sending/receipts/receipts.ts";
import { pruneCampaigns } from "./forget.ts";
import { mountCampaigns } from "./routes.ts";
import { CampaignService } from "./service.ts";

const { db } = await testDatabase();
const KEY = Buffer.alloc(32, 7);
const clock = { now: () => new Date(), monotonic: () => 0 };
const marks: string[] = [];
const campaigns = new CampaignService({
  clock,
  changes: { mark: (_, topic, id) => marks.push(`${topic} ${id ?? "any"}`) },
  random32: () => 1,
});
const api = testApi(db, (app) => {
  mountCampaigns(app, campaigns);
  mountDashboard(app, dashboardService({ clock, campaigns }));
});

let account = "";
let connectionId = 0;
let id = 0;
beforeEach(async () => {
  account = await accountRow(db);
  connectionId = await connectionRow(db, account);
  await campaignRow(db, account, { name: "fica", people: { sent: 1 }, connectionId });
  id = await campaignRow(db, account, {
    name: "vai",
    people: { read: 3, sent: 1, error: 2, uncertain: 1 },
    connectionId,
  });
  await sql`insert into campaign_day (campaign_id, day, accepted, failed, uncertain, delivered, read)
    values (${id}, (now() at time zone 'America/Sao_Paulo')::date, 4, 2, 1, 3, 3)`.execute(db);
  marks.length = 0;
});

const owner = () => ownerOf(db, account);
const list = async (query = "") => (await api(account)<CampaignPage>("GET", `/api/campaigns${query}`)).body;
const names = async (query = "") => (await list(query)).items.map(({ name }) => name);
const dashboard = async () => (await api(account)<Dashboard>("GET", "/api/dashboard")).body;
const post = (what: string, of = id) =>
  api(account)<Campaign & ErrorAnswer>("POST", `/api/campaigns/${of}/${what}`);
const remove = (of = id) => api(account)<ErrorAnswer>("DELETE", `/api/campaigns/${of}`);
const events = async () =>
  (
    await sql<{ kind: string; subject: string }>`select kind, subject from audit_event
      where account_id = ${account}::uuid and kind like 'campaign_%' order by id`.execute(db)
  ).rows.map(({ kind, subject }) => `${kind} ${subject}`);
const forget = () => pruneCampaigns(db, clock);
const left = async (table: string) =>
  (
    await sql<{
      n: number;
    }>`select count(*)::int as n from ${sql.table(table)} where campaign_id = ${id}`.execute(db)
  ).rows[0]?.n;

test("26.15 an archived campaign is out of the list and its figures, and comes back as it was", async () => {
  const before = await list();
  expect((await post("archive")).body).toMatchObject({
    status: "partially_completed",
    actions: expect.arrayContaining(["unarchive", "delete"]),
  });
  expect(marks).toEqual([`campaigns ${id}`, "connections any"]);
  const after = await list();
  expect(after.items.map(({ name }) => name)).toEqual(["fica"]);
  expect(after.summary).toMatchObject({ total: 1, archived: 1, byStatus: { partially_completed: 0 } });
  expect(after.found).toMatchObject({ campaigns: 1, attempts: 1, errors: 0 });
  expect(await names("?archived=true")).toEqual(["vai"]);
  expect(await names(`?campaign=${id}`)).toEqual(["vai"]);
  await post("archive");
  await post("unarchive");
  expect(await list()).toEqual(before);
  expect(await events()).toEqual([
    "campaign_archived vai",
    "campaign_archived vai",
    "campaign_unarchived vai",
  ]);
});

test("26.15 what was sent counts on the dashboard and in the month, archived or deleted", async () => {
  const { cards, days, gauge } = await dashboard();
  const month = () => usageByMonth(owner(), "America/Sao_Paulo", new Date());
  const used = await month();
  expect(used[0]?.campaigns).toBe(4);
  for (const put of [() => post("archive"), () => remove(), forget]) {
    await put();
    const now = await dashboard();
    expect({ cards: now.cards, days: now.days, gauge: now.gauge }).toEqual({ cards, days, gauge });
    expect(await month()).toEqual(used);
    expect(now.recent.map(({ name }) => name)).toEqual(["fica"]);
    expect(now.statuses.total).toBe(1);
    expect(now.options.map(({ name }) => name)).toEqual(["fica"]);
  }
});

test("26.15 only what is over is archived or deleted", async () => {
  for (const status of ["scheduled", "sending", "paused"]) {
    const open = await campaignRow(db, account, { status, people: { pending: 1 }, connectionId });
    for (const answer of [await post("archive", open), await remove(open)])
      expect(answer).toMatchObject({ status: 409, body: { code: "campaign_wrong_state" } });
  }
  const ending = await campaignRow(db, account, {
    status: "cancelled",
    people: { sending: 1 },
    connectionId,
  });
  expect((await list(`?campaign=${ending}`)).items[0]?.actions).not.toContain("delete");
  expect(await remove(ending)).toMatchObject({ status: 409, body: { code: "campaign_still_writing" } });
});

test("26.15 a deleted campaign is gone with its people, and late events of it do no harm", async () => {
  const chat = await chatRow(db, { account, connectionId, phone: 5_511_900_000_000 });
  const written = () =>
    findMessages(owner(), { id: chat, connectionId, phone: "5511900000000", jid: null, lid: null }, null, 10);
  expect(await written()).toHaveLength(2);
  const { rows } = await sql<{ nonce: number }>`select nonce from campaign where id = ${id}`.execute(db);
  await sql`insert into provider_message (connection_id, provider_id, campaign_id, seq, resend_number)
    values (${connectionId}, 'P1', ${id}, 3, 0), (${connectionId}, 'P2', ${id}, 4, 0)`.execute(db);
  await sql`insert into campaign_alias values (${id}, '5511900000000@s.whatsapp.net', 0)`.execute(db);
  await sql`insert into opt_out (account_id, phone, source, connection_id)
    values (${account}::uuid, 5511900000001, 'reply', ${connectionId})`.execute(db);

  expect(await remove()).toMatchObject({ status: 200 });
  expect(await written()).toHaveLength(1);
  expect(await names("?archived=true")).toEqual([]);
  expect(await campaigns.named(owner(), "vai", 5)).toEqual([]);
  expect(await findEnded(db, new Date(0))).not.toContainEqual(expect.objectContaining({ id }));
  for (const answer of [await post("archive"), await post("resend-failures"), await remove()])
    expect(answer.status).toBe(404);
  expect(await post("deliveries/6/resend")).toMatchObject({ status: 404 });

  const tell = async () => {
    const at = new Date();
    const messageId = encodeMessageId(KEY, { nonce: rows[0]?.nonce ?? 0, seq: 3, generation: 0 });
    await settleReceipts(db, KEY, [{ messageId, status: "read", at }]);
    await applyReceipts(db, connectionId, [
      { messageId: "P1", status: "read", at },
      { messageId: "P2", status: "error", at },
    ]);
  };
  await tell();
  let batches = 0;
  await deletePeopleOfDeleted(db, 2, () => ++batches > 2);
  expect([await left("provider_message"), await left("delivery")]).toEqual([0, 7]);
  await forget();
  for (const table of ["delivery", "provider_message", "campaign_alias"])
    expect(await left(table), table).toBe(0);
  await tell();
  expect(await recount(db, 30)).toEqual([]);
  const row = await sql`select name, text, people_deleted from campaign where id = ${id}`.execute(db);
  expect(row.rows).toEqual([{ name: "", text: "", people_deleted: true }]);
  const kept =
    await sql`select from delivery d join campaign c on c.id = d.campaign_id and c.account_id = ${account}::uuid
    union all select from opt_out where account_id = ${account}::uuid`.execute(db);
  expect(kept.rows).toHaveLength(2);
  expect(await events()).toEqual(["campaign_deleted vai"]);
});

test("26.15 a deleted resend keeps its recipients excluded, and none is deleted while one is running", async () => {
  const again = await campaignRow(db, account, { name: "de novo", people: { read: 2 }, connectionId });
  await sql`update campaign set resends_id = ${id}, status = 'sending' where id = ${again}`.execute(db);
  await sql`update delivery set phone = (select phone from delivery e
      where e.campaign_id = ${id} and e.status = 5 order by seq offset delivery.seq limit 1)
    where campaign_id = ${again}`.execute(db);
  expect(await remove()).toMatchObject({ status: 409, body: { code: "campaign_still_writing" } });
  await sql`update campaign set status = 'ended' where id = ${again}`.execute(db);
  expect((await list(`?campaign=${id}`)).items[0]?.resendable).toBe(0);
  expect(await remove(again)).toMatchObject({ status: 200 });
  await forget();
  expect((await list(`?campaign=${id}`)).items[0]?.resendable).toBe(0);
  expect(await post("resend-failures")).toMatchObject({
    status: 409,
    body: { code: "campaign_nothing_to_resend" },
  });
});

test("26.15 an archived campaign that sends again returns to the list", async () => {
  await post("archive");
  expect(await post("deliveries/6/resend")).toMatchObject({ status: 200 });
  expect(await names()).toEqual(["vai", "fica"]);
});
