import { sql } from "kysely";
import { expect, test } from "vitest";
import { tickCampaigns } from "../../../../tests/support/campaign-clock.ts";
import { testDatabase } from "../../../../tests/support/database.ts";
import { laneLab } from "../../../../tests/support/lane-lab.ts";
import { makeAccount, makeCampaign, makeConnection, readLedger } from "../../../../tests/support/sending.ts";
import { DELIVERY } from "../../../domain/delivery.ts";
import { ownerOf } from "../../db/owner.ts";
import { startNext } from "../campaigns/audience.ts";
import { cancelCampaign, createResend } from "../campaigns/campaign-status.ts";
import { sweepCancelled } from "../campaigns/campaign-sweeps.ts";
import { optOut } from "../campaigns/opt-out.ts";
import { actOnDelivery } from "../doubts/delivery-actions.ts";
import { settle, showDoubts } from "../ledger/settle.ts";
import { applyReceipts } from "../receipts/provider-receipts.ts";

const { db, database } = await testDatabase();
const { arrange } = laneLab({ db, database });

async function over(campaignId: number, state: "error" | "uncertain") {
  while (await startNext(database));
  await sql`update delivery set status = ${DELIVERY[state]}, ambiguous = ${state === "uncertain"}, error = 'no_ack', at = now()
    where campaign_id = ${campaignId}`.execute(db);
  await sql`update campaign set status = 'ended', ended_at = now(), cursor = 1, pending_count = 0, error_count = ${state === "error" ? 1 : 0},
    uncertain_count = ${state === "uncertain" ? 1 : 0} where id = ${campaignId}`.execute(db);
}

async function setting() {
  const accountId = await makeAccount(db);
  const connectionId = await makeConnection(db, accountId);
  const campaignId = await makeCampaign(db, accountId, { people: 1, connectionId });
  return { campaignId, owner: ownerOf(db, accountId) };
}

async function personOf(campaignId: number) {
  const { rows } = await sql<{ status: number; error: string | null }>`select status, error from delivery
    where campaign_id = ${campaignId}`.execute(db);
  const ledger = await readLedger(db, campaignId);
  expect(ledger.counters).toEqual(ledger.rows);
  return rows[0];
}

test("a cancelled manual resend is as doubtful as before: the first message may have arrived", async () => {
  const { campaignId, owner } = await setting();
  await over(campaignId, "uncertain");
  await actOnDelivery(owner, campaignId, 0, "resend");
  await cancelCampaign(owner, campaignId);
  await tickCampaigns(database, () => {});
  expect(await personOf(campaignId)).toEqual({ status: DELIVERY.uncertain, error: "interrupted" });
});

test("nor does another resend write to them, before and after the cancelled one is swept", async () => {
  const { campaignId, owner } = await setting();
  await over(campaignId, "error");
  const first = await createResend(owner, campaignId);
  await over(first, "uncertain");
  await actOnDelivery(owner, first, 0, "resend");
  await cancelCampaign(owner, first);
  const nothingLeft = { code: "campaign_nothing_to_resend" };
  await expect(createResend(owner, campaignId)).rejects.toMatchObject(nothingLeft);
  while ((await sweepCancelled(db)).length > 0);
  await expect(createResend(owner, campaignId)).rejects.toMatchObject(nothingLeft);
});

test("nor is it said that nothing was sent to them when they leave before the second message", async () => {
  const { campaignId, owner } = await setting();
  await over(campaignId, "uncertain");
  await actOnDelivery(owner, campaignId, 0, "resend");
  await optOut(owner, { phone: "5511900000000", source: "reply", connectionId: null, text: "SAIR" });
  expect(await personOf(campaignId)).toEqual({ status: DELIVERY.uncertain, error: "opted_out" });
});

test("a doubt left to a human days later, after a new link, keeps its attempt's time", async () => {
  const { campaignId } = await setting();
  await over(campaignId, "uncertain");
  const tried = new Date("2026-11-18T12:30:00Z");
  await sql`update delivery set status = ${DELIVERY.waiting}, at = ${tried} where campaign_id = ${campaignId}`.execute(
    db,
  );
  await sql`update campaign set status = 'paused', uncertain_count = 0, waiting_count = 1 where id = ${campaignId}`.execute(
    db,
  );
  await db.transaction().execute(async (tx) => {
    await sql`select from campaign where id = ${campaignId} for no key update`.execute(tx);
    await showDoubts(tx, campaignId, "paired_again");
  });
  expect(await personOf(campaignId)).toEqual({ status: DELIVERY.uncertain, error: "paired_again" });
  const { rows } = await sql`select at from delivery where campaign_id = ${campaignId}`.execute(db);
  expect(rows).toEqual([{ at: tried }]);
});

test("that the second message was refused says nothing of the first", async () => {
  const it = await arrange({
    people: 1,
    resendsDoubts: false,
    answer: (_, nth) =>
      nth === 1
        ? { kind: "ambiguous", reason: "reset" }
        : { kind: "refused", code: "wa_400", passing: false },
  });
  const lane = await it.run();
  await it.finishes();
  await actOnDelivery(it.owner, it.campaignId, 0, "resend");
  lane.wake();
  await it.finishes();
  expect(it.phone.frames).toHaveLength(2);
  expect(await personOf(it.campaignId)).toEqual({ status: DELIVERY.uncertain, error: "wa_400" });
});

test("nor does it when a gateway's server refuses the second message after it was taken", async () => {
  const { campaignId, owner } = await setting();
  await over(campaignId, "uncertain");
  await actOnDelivery(owner, campaignId, 0, "resend");
  await db
    .transaction()
    .execute((tx) =>
      settle(tx, campaignId, [{ seq: 0, to: DELIVERY.sent, at: new Date() }], { from: [DELIVERY.waiting] }),
    );
  const { rows } = await sql<{ connectionId: number }>`insert into provider_message
      (connection_id, provider_id, campaign_id, seq, resend_number)
    select connection_id, 'SECOND', id, 0, 1 from campaign where id = ${campaignId}
    returning connection_id as "connectionId"`.execute(db);
  const refusal = { messageId: "SECOND", status: "error", code: "wa_470", at: new Date() } as const;
  await applyReceipts(db, rows[0]?.connectionId ?? 0, [refusal]);
  expect(await personOf(campaignId)).toEqual({ status: DELIVERY.uncertain, error: "wa_470" });
});
