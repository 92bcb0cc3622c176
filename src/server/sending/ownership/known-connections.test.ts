import { sql } from "kysely";
import { expect, test, vi } from "vitest";
import { testDatabase } from "../../../../tests/support/database.ts";
import { gatewayCampaigns } from "../../../../tests/support/gateway-campaigns.ts";
import { LANE_KEY } from "../../../../tests/support/lane-process.ts";
import { makeAccount, makeCampaign, makeConnection, readLedger } from "../../../../tests/support/sending.ts";
import { encodeMessageId } from "../../../domain/message-id.ts";
import { startNext } from "../campaigns/audience.ts";

const { db, database } = await testDatabase();
const { arrange, startProcess } = gatewayCampaigns({ db, database });

test("pages with a connection's activity update when a scheduled campaign begins and ends", async () => {
  let answer = () => {};
  const answered = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const fate = () =>
    answered.then(() => ({ kind: "accepted", providerId: "updated", at: Date.now() }) as const);
  const it = await arrange({ people: 1, slots: 1, fate });
  const { marked } = await it.run();
  const updated = () => vi.waitFor(() => expect(marked).toContain(`connections ${it.accountId}`), 60_000);
  await it.states([0, 1, 0, 0, 0, 0, 0, 0, 0, 0]);
  marked.length = 0;
  answer();
  await it.ends();
  await updated();

  marked.length = 0;
  const later = await makeCampaign(db, it.accountId, {
    people: 1,
    firstPhone: 5_511_977_000_000,
    status: "scheduled",
    connectionId: it.connectionId,
  });
  await sql`update campaign set scheduled_at = now() where id = ${later}`.execute(db);
  await vi.waitFor(async () => expect((await readLedger(db, later)).status).not.toBe("scheduled"), 60_000);
  await updated();
});

test("they also update when a receipt settles the last doubt before the next send", async () => {
  const accountId = await makeAccount(db);
  const connectionId = await makeConnection(db, accountId);
  const campaignId = await makeCampaign(db, accountId, {
    people: 1,
    firstPhone: 5_511_966_000_000,
    connectionId,
  });
  await startNext(database);
  await sql`update delivery set status = 2, ambiguous = true where campaign_id = ${campaignId}`.execute(db);
  const { rows } = await sql<{
    nonce: number;
  }>`update campaign set cursor = 1, pending_count = 0, waiting_count = 1 where id = ${campaignId} returning nonce`.execute(
    db,
  );
  const { marked, hosts } = await startProcess({ device: () => ({ ready: () => false }) });
  await vi.waitFor(() => expect(marked).toContain(`connections ${accountId}`), 60_000);
  marked.length = 0;
  const messageId = encodeMessageId(LANE_KEY, { nonce: rows[0]?.nonce ?? 0, seq: 0, generation: 0 });
  await hosts.get(connectionId)?.receipts([{ messageId, status: "delivered", at: new Date() }]);
  expect((await readLedger(db, campaignId)).status).toBe("ended");
  expect(marked).toContain(`connections ${accountId}`);
});
