import { sql } from "kysely";
import { expect, test, vi } from "vitest";
import { testDatabase } from "../../../../tests/support/database.ts";
import { gatewayCampaigns } from "../../../../tests/support/gateway-campaigns.ts";
import { DELIVERY } from "../../../domain/delivery.ts";
import { actOnDelivery } from "../doubts/delivery-actions.ts";
import { usageByMonth } from "../ledger/month-usage.ts";
import { recount } from "../ledger/recount.ts";
import { settleProviderReceipts } from "../receipts/provider-messages.ts";
import { createResend, finishCampaign, pauseCampaign, resumeCampaign } from "./campaign-status.ts";
import { pauseUnconfirmed } from "./unconfirmed.ts";

const { db, database } = await testDatabase();
const { arrange } = gatewayCampaigns({ db, database });

const minutesAgo = (minutes: number) => sql`now() - ${minutes} * interval '1 minute'`;

async function taken(people: number) {
  const it = await arrange({ people, confirms: false });
  await it.run();
  await it.states([0, 0, 0, 0, 0, 0, people, 0, 0, 0]);
  await sql`update connection set state = 'connected', state_since = ${minutesAgo(60)} where id = ${it.connectionId}`.execute(
    db,
  );
  const age = (minutes: number) =>
    sql`update delivery set at = ${minutesAgo(minutes)} where campaign_id = ${it.campaignId}`.execute(db);
  const idOf = async (seq: number) =>
    (
      await sql<{ id: string }>`select provider_id as id from provider_message
        where campaign_id = ${it.campaignId} and seq = ${seq}`.execute(db)
    ).rows[0]?.id ?? "";
  const hear = async (seq: number, status: "accepted" | "delivered" | "error") =>
    settleProviderReceipts(db, it.connectionId, [{ messageId: await idOf(seq), status, at: new Date() }]);
  const mine = async () =>
    (await pauseUnconfirmed(db)).filter(({ campaignId }) => campaignId === it.campaignId);
  return { ...it, age, hear, mine };
}

test("GW01 twelve accepted but unconfirmed people are not sent: their campaign pauses with a reason @decision 33", async () => {
  const it = await taken(12);
  expect(await it.ledger()).toMatchObject({ status: "sending" });
  await it.age(14);
  expect(await it.mine()).toEqual([]);
  await it.age(16);
  expect(await it.mine()).toEqual([{ accountId: it.accountId, campaignId: it.campaignId }]);
  const ledger = await it.ledger();
  expect(ledger).toMatchObject({ status: "paused", cause: "unconfirmed" });
  expect(ledger.rows[DELIVERY.accepted]).toBe(12);
  expect(ledger.counters).toEqual(ledger.rows);
  await expect(resumeCampaign(it.owner, it.campaignId)).rejects.toMatchObject({
    code: "campaign_wrong_state",
  });
  expect(it.gateway.attempts()).toBe(12);
  expect(await recount(db, 1)).toEqual([]);
});

test("GW01 a word that comes after the pause still counts, and the last one ends the campaign", async () => {
  const it = await taken(3);
  await it.age(20);
  await it.mine();
  await it.hear(0, "accepted");
  await it.hear(1, "delivered");
  expect(await it.ledger()).toMatchObject({ status: "paused", cause: "unconfirmed" });
  await it.hear(2, "error");
  const { status, cause, rows } = await it.ledger();
  expect({ status, cause }).toEqual({ status: "ended", cause: null });
  expect([rows[DELIVERY.error], rows[DELIVERY.sent], rows[DELIVERY.delivered]]).toEqual([1, 1, 1]);
});

test("GW01 while its connection is away, or just back, a campaign waits for the word without a pause of its own", async () => {
  const it = await taken(2);
  await it.age(30);
  await sql`update connection set state = 'connecting' where id = ${it.connectionId}`.execute(db);
  expect(await it.mine()).toEqual([]);
  await sql`update connection set state = 'connected', state_since = ${minutesAgo(2)} where id = ${it.connectionId}`.execute(
    db,
  );
  expect(await it.mine()).toEqual([]);
  await sql`update connection set state_since = ${minutesAgo(6)} where id = ${it.connectionId}`.execute(db);
  expect(await it.mine()).toHaveLength(1);
});

test("GW01 twenty in a row over ten minutes without a word stop a campaign that has people left, once: «Continuar» goes on", async () => {
  const it = await taken(24);
  const open = async () => {
    await sql`update delivery set status = 0, at = null where campaign_id = ${it.campaignId} and seq >= 21`.execute(
      db,
    );
    await sql`update campaign set status = 'sending', cursor = 21, pending_count = 3, accepted_count = accepted_count - 3 where id = ${it.campaignId}`.execute(
      db,
    );
  };
  await pauseCampaign(it.owner, it.campaignId).catch(() => undefined);
  await it.age(9);
  await open();
  expect(await it.mine()).toEqual([]);
  await it.age(11);
  await it.hear(0, "accepted");
  await sql`update campaign set last_sent_at = ${minutesAgo(5)} where id = ${it.campaignId}`.execute(db);
  expect(await it.mine()).toEqual([]);
  await sql`update campaign set last_sent_at = ${minutesAgo(12)} where id = ${it.campaignId}`.execute(db);
  expect(await it.mine()).toHaveLength(1);
  expect(await it.ledger()).toMatchObject({ status: "paused", cause: "unconfirmed" });
  await resumeCampaign(it.owner, it.campaignId);
  expect(await it.mine()).toEqual([]);
  await it.states([0, 0, 0, 0, 0, 0, 23, 1, 0, 0]);
});

test("GW01 a person closes a campaign without the word: it ends, its people stay accepted, and a word still counts", async () => {
  const it = await taken(2);
  await finishCampaign(it.owner, it.campaignId);
  const ended = await it.ledger();
  expect(ended).toMatchObject({ status: "ended", cause: null });
  expect(ended.rows[DELIVERY.accepted]).toBe(2);
  await it.hear(1, "delivered");
  expect((await it.ledger()).rows[DELIVERY.delivered]).toBe(1);
  await it.hear(0, "error");
  const resend = await createResend(it.owner, it.campaignId);
  expect(resend).not.toBe(it.campaignId);
});

test("GW01 a campaign of which people are still to be sent to is not closed", async () => {
  const it = await arrange({ people: 2 });
  await expect(finishCampaign(it.owner, it.campaignId)).rejects.toMatchObject({
    code: "campaign_wrong_state",
  });
});

test("GW01 people may settle an accepted message once its word is overdue: as sent, left out, or sent again", async () => {
  const it = await taken(3);
  await expect(actOnDelivery(it.owner, it.campaignId, 0, "resend")).rejects.toMatchObject({
    code: "delivery_awaited",
  });
  await it.age(16);
  await actOnDelivery(it.owner, it.campaignId, 0, "mark_sent");
  await actOnDelivery(it.owner, it.campaignId, 1, "ignore");
  await it.states([0, 0, 0, 1, 0, 0, 1, 1, 0, 0]);
  await actOnDelivery(it.owner, it.campaignId, 2, "resend");
  await vi.waitFor(() => expect(it.gateway.attempts()).toBe(4), 60_000);
  await it.states([0, 0, 0, 1, 0, 0, 1, 1, 0, 0]);
  const ledger = await it.ledger();
  expect(ledger.counters).toEqual(ledger.rows);
});

test("GW01 what a gateway took counts for the month, once, whether it is confirmed or not", async () => {
  const it = await taken(3);
  const month = async () => (await usageByMonth(it.owner, "America/Sao_Paulo", new Date()))[0]?.campaigns;
  expect(await month()).toBe(3);
  await it.hear(0, "delivered");
  expect(await month()).toBe(3);
  await it.hear(1, "error");
  expect(await month()).toBe(2);
});
