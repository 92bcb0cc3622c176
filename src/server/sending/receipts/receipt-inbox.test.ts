import { sql } from "kysely";
import { expect, onTestFinished, test } from "vitest";
import { testDatabase } from "../../../../tests/support/database.ts";
import { makeAccount, makeCampaign, makeConnection } from "../../../../tests/support/sending.ts";
import { unhurried } from "../../../../tests/support/waiting.ts";
import { DELIVERY } from "../../../domain/delivery.ts";
import { systemClock } from "../../base/clock.ts";
import { isDatabaseDown } from "../../db/errors.ts";
import { FairQueues } from "../../jobs/fair-queue.ts";
import { startNext } from "../campaigns/audience.ts";
import { LANE_TIMES } from "../ledger/timing.ts";
import { storeAccepted } from "./provider-messages.ts";
import { storeReceipts } from "./provider-receipts.ts";
import { openReceiptInbox } from "./receipt-inbox.ts";

const { db, database } = await testDatabase();

async function overtaken() {
  const accountId = await makeAccount(db);
  const connectionId = await makeConnection(db, accountId, "instance");
  const campaignId = await makeCampaign(db, accountId, { people: 1, connectionId });
  await startNext(database);
  await sql`update delivery set status = 1 where campaign_id = ${campaignId}`.execute(db);
  await sql`update campaign set cursor = 1, pending_count = 0, sending_count = 1 where id = ${campaignId}`.execute(
    db,
  );
  await keep(connectionId, ["first"]);
  const owner = { campaignId, seq: 0, generation: 0 };
  await storeAccepted(database.prepared, connectionId, [{ owner, providerId: "first", at: Date.now() }]);
  return { accountId, connectionId, campaignId };
}

async function keep(connectionId: number, ids: readonly string[]): Promise<void> {
  const receipts = ids.map((messageId) => ({ messageId, status: "delivered" as const, at: new Date() }));
  await storeReceipts(db, connectionId, receipts);
  await sql`update receipt_inbox set next_at = now() - interval '1 second' where connection_id = ${connectionId}`.execute(
    db,
  );
}

function openInbox() {
  const changed: number[] = [];
  const failures: unknown[] = [];
  const inbox = openReceiptInbox({
    db,
    queues: new FairQueues(systemClock),
    times: LANE_TIMES,
    changed: (campaigns) => void changed.push(...campaigns.map((one) => one.campaignId)),
    failed: (error) => failures.push(error),
  });
  onTestFinished(async () => {
    await inbox.stop();
    expect(failures.filter((error) => !isDatabaseDown(error))).toEqual([]);
  });
  return { inbox, changed };
}

const statusOf = async (campaignId: number) =>
  (await sql<{ status: number }>`select status from delivery where campaign_id = ${campaignId}`.execute(db))
    .rows[0]?.status;

test("F4 while one account's receipts stand, another's are joined", async () => {
  const [busy, other] = [await overtaken(), await overtaken()];
  const { inbox, changed } = openInbox();
  await unhurried(db, async (tx) => {
    await sql`select from campaign where id = ${busy.campaignId} for update`.execute(tx);
    inbox.wake();
    await expect.poll(() => statusOf(other.campaignId), { timeout: 30_000 }).toBe(DELIVERY.delivered);
    expect(await statusOf(busy.campaignId)).toBe(DELIVERY.sending);
  });
  await inbox.idle();
  await sql`update receipt_inbox set next_at = now() where connection_id = ${busy.connectionId}`.execute(db);
  inbox.wake();
  await inbox.idle();
  expect(await statusOf(busy.campaignId)).toBe(DELIVERY.delivered);
  expect(changed).toEqual([other.campaignId, busy.campaignId]);
});

test("F4 thousands of older receipts delay another account's by one batch at most", async () => {
  const busy = await overtaken();
  await keep(
    busy.connectionId,
    Array.from({ length: 1_500 }, (_, n) => `unknown-${n}`),
  );
  const other = await overtaken();
  const { inbox, changed } = openInbox();
  inbox.wake();
  await inbox.idle();
  expect(changed.indexOf(other.campaignId)).toBeLessThanOrEqual(1);
  expect(changed.toSorted((a, b) => a - b)).toEqual([busy.campaignId, other.campaignId]);
  const { rows } = await sql`select tries, count(*)::int as receipts from receipt_inbox
    where connection_id = ${busy.connectionId} group by 1`.execute(db);
  expect(rows).toEqual([{ tries: 1, receipts: 1_500 }]);
});
