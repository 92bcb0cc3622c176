import { sql } from "kysely";
import { beforeAll, expect, test } from "vitest";
import { testApi } from "../../../tests/support/api.ts";
import { accountRow, campaignRow, connectionRow } from "../../../tests/support/campaign-rows.ts";
import { testDatabase } from "../../../tests/support/database.ts";
import type { Campaign, DeliveryPage } from "../../contract/campaigns.ts";
import type { ErrorAnswer } from "../../contract/error-messages.ts";
import { REASON_MAX } from "../../domain/breaker.ts";
import { mountCampaigns } from "./routes.ts";
import { CampaignService } from "./service.ts";

const { db } = await testDatabase();
let now = new Date();
const api = testApi(db, (app) =>
  mountCampaigns(
    app,
    new CampaignService({ clock: { now: () => now }, changes: { mark: () => {} }, random32: () => 1 }),
  ),
);

let account = "";
let connectionId = 0;
beforeAll(async () => {
  account = await accountRow(db);
  connectionId = await connectionRow(db, account);
});

const post = (id: number, action: string, body?: unknown) =>
  api(account)<Campaign & ErrorAnswer>("POST", `/api/campaigns/${id}/${action}`, body);
const get = async (id: number) => (await api(account)<Campaign>("GET", `/api/campaigns/${id}`)).body;

async function stopped(cause = "breaker_absent") {
  const people = { delivered: 2, sent: 1, error: 3, pending: 4 };
  const id = await campaignRow(db, account, { connectionId, status: "paused", people });
  await sql`update campaign set pause_reason = ${cause}, breaker = '{"judged": 20, "count": 7, "limit": 30}'
    where id = ${id}`.execute(db);
  return id;
}

test("31.7 a stopped campaign has its figures, and goes on for a reason of 1 to 300 characters", async () => {
  const id = await stopped();
  expect(await get(id)).toMatchObject({
    status: "paused",
    cause: "breaker_absent",
    breaker: { failure: "absent", judged: 20, count: 7, limit: 30 },
  });
  const without = await post(id, "resume");
  expect([without.status, without.body.code]).toEqual([409, "campaign_reason_required"]);
  for (const reason of ["", "   ", "a".repeat(REASON_MAX + 1)])
    expect((await post(id, "resume-despite", { reason })).status).toBe(422);
  expect((await get(id)).status).toBe("paused");
  const answer = await post(id, "resume-despite", { reason: "a".repeat(REASON_MAX) });
  expect([answer.status, answer.body.cause, answer.body.breaker]).toEqual([200, null, null]);
});

test("31.7 a number's stop asks for a reason and has no figures", async () => {
  const id = await stopped("number_locked_again");
  expect(await get(id)).toMatchObject({ cause: "number_locked_again", breaker: null });
  expect((await post(id, "resume")).body.code).toBe("campaign_reason_required");
});

test("31.7 the people who count against a limit are listed", async () => {
  const id = await stopped();
  const phones = await sql<{ seq: number; phone: string; status: number }>`select seq, phone::text, status
    from delivery where campaign_id = ${id} order by seq`.execute(db);
  const seqsOf = (...states: number[]) =>
    phones.rows.filter(({ status }) => states.includes(status)).map(({ seq }) => seq);
  const [absent, ...refused] = seqsOf(5);
  await sql`update delivery set error = case when seq = ${absent} then 'not_on_whatsapp' else 'wa_479' end
    where campaign_id = ${id} and status = 5`.execute(db);
  const [left, before] = seqsOf(8);
  await sql`update delivery set at = now() where campaign_id = ${id} and status = 8`.execute(db);
  await sql`insert into opt_out (account_id, phone, source, created_at)
    select ${account}::uuid, phone, 'reply', case when seq = ${left} then now() + interval '1 minute' else now() - interval '1 day' end
    from delivery where campaign_id = ${id} and seq in (${left}, ${before})`.execute(db);
  const listed = async (failure: string) =>
    (
      await api(account)<DeliveryPage>("GET", `/api/campaigns/${id}/deliveries?failure=${failure}`)
    ).body.items.map(({ seq }) => seq);
  expect(await listed("absent")).toEqual([absent]);
  expect(await listed("refused")).toEqual(refused);
  expect(await listed("undelivered")).toEqual(seqsOf(7));
  expect(await listed("leaving")).toEqual([left]);
});

test("31.7 while the first people are awaited the campaign says until when", async () => {
  const id = await campaignRow(db, account, {
    connectionId,
    status: "sending",
    people: { sent: 2, pending: 5 },
  });
  const sent = new Date("2026-11-19T17:00:00Z");
  await sql`update campaign set claims_to = 2, cursor = 1, last_sent_at = ${sent} where id = ${id}`.execute(
    db,
  );
  now = new Date("2026-11-19T17:05:00Z");
  expect((await get(id)).canary, "one has not left").toBeNull();
  await sql`update campaign set cursor = 2 where id = ${id}`.execute(db);
  expect((await get(id)).canary).toEqual({ people: 20, until: "2026-11-19T17:15:00.000Z" });
  now = new Date("2026-11-19T17:16:00Z");
  expect((await get(id)).canary).toEqual({ people: 20, until: null });
});
