import { sql } from "kysely";
import { expect, test, vi } from "vitest";
import { testDatabase } from "../../../../tests/support/database.ts";
import { gatewayCampaigns } from "../../../../tests/support/gateway-campaigns.ts";
import { partsLeft } from "../../../../tests/support/sending.ts";
import { DELIVERY } from "../../../domain/delivery.ts";
import { actOnDelivery } from "../doubts/delivery-actions.ts";
import { settleProviderReceipts } from "../receipts/provider-messages.ts";

const { db, database } = await testDatabase();
const { arrange } = gatewayCampaigns({ db, database });

const idsOf = async (campaignId: number) => {
  const { rows } = await sql<{ id: string; seq: number; part: number }>`
    select provider_id as id, seq, part from provider_message where campaign_id = ${campaignId} order by seq, part`.execute(
    db,
  );
  return rows;
};

test("a gateway's messages of one person each have their id, and confirm their person together", async () => {
  const it = await arrange({ people: 3, more: 2, confirms: false });
  await it.run();
  await it.states([0, 0, 0, 0, 0, 0, 3, 0, 0, 0]);
  const ids = await idsOf(it.campaignId);
  expect(ids.map(({ seq, part }) => `${seq}.${part}`)).toEqual([
    "0.0",
    "0.1",
    "0.2",
    "1.0",
    "1.1",
    "1.2",
    "2.0",
    "2.1",
    "2.2",
  ]);
  const say = (which: typeof ids, status: "accepted" | "delivered") =>
    settleProviderReceipts(
      db,
      it.connectionId,
      which.map(({ id }) => ({ messageId: id, status, at: new Date() })),
    );
  await say(
    ids.filter(({ part }) => part < 2),
    "accepted",
  );
  await it.states([0, 0, 0, 0, 0, 0, 3, 0, 0, 0]);
  await say(
    ids.filter(({ part }) => part === 2),
    "accepted",
  );
  await it.states([0, 0, 0, 0, 0, 0, 0, 3, 0, 0]);
  await say(
    ids.filter(({ seq }) => seq === 1),
    "delivered",
  );
  await it.states([0, 0, 0, 0, 0, 0, 0, 2, 1, 0]);
});

test("a lost answer to the second of three is found by its content, and the third follows: nothing goes twice", async () => {
  const it = await arrange({ people: 2, more: 2, fate: (_, nth) => (nth === 2 ? "answer lost" : "accept") });
  await it.run();
  await it.ends();
  expect((await it.ledger()).rows[DELIVERY.sent]).toBe(2);
  for (const texts of it.gateway.heldBy().values()) expect(texts.slice(1)).toEqual(["", ""]);
  expect(it.gateway.attempts()).toBe(6);
});

test("a second of three that never left stays «A verificar»; sent again by a person, the rest follows", async () => {
  const it = await arrange({ people: 1, more: 2, fate: (_, nth) => (nth === 2 ? "never left" : "accept") });
  await it.run();
  await it.states([0, 0, 1, 0, 0, 0, 0, 0, 0, 0]);
  await sql`update delivery set not_before = now() where campaign_id = ${it.campaignId}`.execute(db);
  await it.states([0, 0, 0, 0, 1, 0, 0, 0, 0, 0]);
  expect(await partsLeft(db, it.campaignId)).toEqual([1]);
  await actOnDelivery(it.owner, it.campaignId, 0, "resend");
  await it.ends();
  expect(it.gateway.held).toHaveLength(3);
  expect((await it.ledger()).rows[DELIVERY.sent]).toBe(1);
});

test("a message refused after its gateway had taken it fails its person; the rest is only that message", async () => {
  const it = await arrange({ people: 1, more: 2, confirms: false });
  await it.run();
  await it.states([0, 0, 0, 0, 0, 0, 1, 0, 0, 0]);
  const [, second] = await idsOf(it.campaignId);
  await settleProviderReceipts(db, it.connectionId, [
    { messageId: second?.id ?? "", status: "error", at: new Date() },
  ]);
  await it.states([0, 0, 0, 0, 0, 1, 0, 0, 0, 0]);
  expect(await partsLeft(db, it.campaignId)).toEqual([2]);
  await actOnDelivery(it.owner, it.campaignId, 0, "resend");
  await vi.waitFor(() => expect(it.gateway.held).toHaveLength(4), 60_000);
  await it.states([0, 0, 0, 0, 0, 0, 1, 0, 0, 0]);
  expect(it.gateway.held.map(({ text }) => text !== "")).toEqual([true, false, false, false]);
});
