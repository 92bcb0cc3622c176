import { sql } from "kysely";
import { beforeEach, expect, test } from "vitest";
import { tickCampaigns } from "../../../../tests/support/campaign-clock.ts";
import { accountRow, campaignRow, connectionRow, listRow } from "../../../../tests/support/campaign-rows.ts";
import { testDatabase, testLog } from "../../../../tests/support/database.ts";
import { unhurried, untilWaiting } from "../../../../tests/support/waiting.ts";
import { ownerOf } from "../../db/owner.ts";
import { actOnDelivery } from "../doubts/delivery-actions.ts";
import { monthAt, usageByMonth } from "../ledger/month-usage.ts";
import { createResend, pauseCampaign, requestStart, resumeCampaign } from "./campaign-status.ts";
import { pauseAtLimit, refuseAtLimit, watchLimits } from "./limit.ts";

const { db, database } = await testDatabase();

beforeEach(async () => {
  await sql`truncate account cascade`.execute(db);
});

const setLimit = (account: string, limit: number | null) =>
  sql`update account set monthly_limit = ${limit} where id = ${account}`.execute(db);

const statusOf = async (campaign: number) =>
  (
    await sql<{ status: string; cause: string | null }>`
      select status, pause_reason as cause from campaign where id = ${campaign}`.execute(db)
  ).rows[0];

const seqOf = async (campaign: number) =>
  (await sql<{ seq: number }>`select seq from delivery where campaign_id = ${campaign}`.execute(db)).rows[0]
    ?.seq ?? -1;

const sent = (campaign: number, messages: number, monthsAgo = 0) =>
  sql`insert into campaign_day (campaign_id, day, accepted)
    values (${campaign}, ((now() at time zone 'America/Sao_Paulo') - ${monthsAgo} * interval '1 month')::date, ${messages})
    on conflict (campaign_id, day) do update set accepted = campaign_day.accepted + excluded.accepted`.execute(
    db,
  );

async function running(account: string) {
  const connectionId = await connectionRow(db, account);
  return campaignRow(db, account, { status: "sending", connectionId, people: { pending: 3, sent: 2 } });
}

test("the limit counts the month that the usage shows: not what a zone further east has sent of the next one", async () => {
  const account = await accountRow(db);
  const campaign = await running(account);
  await setLimit(account, 10);
  await sent(campaign, 9);
  await sent(campaign, 5, -1);
  const owner = ownerOf(db, account);
  const { month } = await monthAt(owner, "America/Sao_Paulo", new Date());
  const shown = (await usageByMonth(owner, "America/Sao_Paulo", new Date())).find(
    (one) => one.month === month,
  );
  expect(shown).toMatchObject({ campaigns: 9, single: 0 });
  expect(await pauseAtLimit(db)).toEqual([]);
  await refuseAtLimit(owner);
  await sent(campaign, 1);
  await expect(refuseAtLimit(owner)).rejects.toMatchObject({ details: { limit: 10, used: 10 } });
});

test("at the limit only the account's own running campaigns are paused", async () => {
  const [ana, bruno] = [await accountRow(db), await accountRow(db)];
  const [first, second, theirs] = [await running(ana), await running(ana), await running(bruno)];
  const draft = await campaignRow(db, ana, { status: "draft" });
  await setLimit(ana, 10);
  await setLimit(bruno, 11);
  await sent(first, 9);
  await sent(theirs, 10);
  expect(await pauseAtLimit(db)).toEqual([]);
  await sent(second, 1);
  const paused = await pauseAtLimit(db);
  expect(paused.map((one) => one.campaignId).toSorted()).toEqual([first, second].toSorted());
  for (const id of [first, second]) expect(await statusOf(id)).toEqual({ status: "paused", cause: "limit" });
  expect((await statusOf(theirs))?.status).toBe("sending");
  expect((await statusOf(draft))?.status).toBe("draft");
  expect(await pauseAtLimit(db)).toEqual([]);
});

test("at the limit a campaign whose hour comes does not send first and stop then", async () => {
  const account = await accountRow(db);
  await setLimit(account, 1);
  await sent(await running(account), 1);
  const connectionId = await connectionRow(db, account);
  const due = await campaignRow(db, account, {
    status: "scheduled",
    connectionId,
    listId: await listRow(db, account),
    scheduledAt: new Date(Date.now() - 1_000),
  });
  await tickCampaigns(database, () => {});
  expect(await statusOf(due)).toEqual({ status: "paused", cause: "limit" });
});

test("a pause waiting for one campaign locks no other that an opt-out or a start needs", async () => {
  const account = await accountRow(db);
  const [first, starting] = [await running(account), await running(account)];
  await setLimit(account, 0);
  const pausing = await unhurried(db, async (start) => {
    await sql`select 1 from campaign where id = ${starting} for no key update`.execute(start);
    const paused = pauseAtLimit(db);
    await untilWaiting(db);
    expect(await statusOf(first)).toEqual({ status: "paused", cause: "limit" });
    return { paused };
  });
  expect((await pausing.paused).map((one) => one.campaignId)).toEqual([first, starting]);
});

test("single messages count too, those of deleted connections included", async () => {
  const account = await accountRow(db);
  const campaign = await running(account);
  const gone = await connectionRow(db, account);
  await setLimit(account, 2);
  await sql`insert into outbox (account_id, connection_id, phone, text, message_id, body_hash, status, at)
    select ${account}::uuid, ${gone}, 5511987654321, 'Oi', 'S' || n, '', 6, now() from generate_series(1, 2) n`.execute(
    db,
  );
  await sql`delete from connection where id = ${gone}`.execute(db);
  await pauseAtLimit(db);
  expect(await statusOf(campaign)).toEqual({ status: "paused", cause: "limit" });
});

test("a limit of 0 stops everything; none stops nothing; last month does not count", async () => {
  const account = await accountRow(db);
  const campaign = await running(account);
  await sent(campaign, 1_000_000, 1);
  await setLimit(account, 1);
  expect(await pauseAtLimit(db)).toEqual([]);
  await sent(campaign, 1_000_000);
  await setLimit(account, null);
  expect(await pauseAtLimit(db)).toEqual([]);
  await setLimit(account, 0);
  expect(await pauseAtLimit(db)).toHaveLength(1);
});

test("at the limit nothing starts, goes on or is sent again, in words with the limit; raised, it does", async () => {
  const account = await accountRow(db);
  const owner = ownerOf(db, account);
  const [campaign, other] = [await running(account), await running(account)];
  await sent(campaign, 5);
  await pauseCampaign(owner, other);
  await setLimit(account, 5);
  await pauseAtLimit(db);
  const draft = await campaignRow(db, account, { status: "draft", listId: await listRow(db, account) });
  const failed = await campaignRow(db, account, { status: "ended", people: { error: 1 } });
  const refused = {
    code: "monthly_limit_reached",
    details: { limit: 5, used: 5, renewsAt: expect.any(String) },
  };
  await expect(requestStart(owner, draft)).rejects.toMatchObject(refused);
  await expect(resumeCampaign(owner, campaign)).rejects.toMatchObject(refused);
  await expect(resumeCampaign(owner, other)).rejects.toMatchObject(refused);
  await expect(createResend(owner, failed)).rejects.toMatchObject(refused);
  const connectionId = await connectionRow(db, account);
  const doubtful = await campaignRow(db, account, {
    status: "ended",
    connectionId,
    people: { uncertain: 1 },
  });
  const doubt = await seqOf(doubtful);
  await expect(actOnDelivery(owner, doubtful, doubt, "resend")).rejects.toMatchObject(refused);
  expect((await statusOf(doubtful))?.status).toBe("ended");
  await actOnDelivery(owner, doubtful, doubt, "ignore");
  expect((await statusOf(draft))?.status).toBe("draft");
  await setLimit(account, 6);
  expect(await pauseAtLimit(db)).toEqual([]);
  expect(await statusOf(campaign)).toEqual({ status: "paused", cause: "limit" });
  await resumeCampaign(owner, campaign);
  expect((await statusOf(campaign))?.status).toBe("sending");
  await requestStart(owner, draft);
});

test("the watch looks by itself and tells which campaigns it paused", async () => {
  const account = await accountRow(db);
  const campaign = await running(account);
  await setLimit(account, 0);
  const notice = await new Promise<{ campaignId: number }>((resolve) => {
    const watch = watchLimits(
      db,
      (one) => void watch.close().then(() => resolve(one)),
      (error) => testLog.error(error),
    );
  });
  expect(notice.campaignId).toBe(campaign);
});
