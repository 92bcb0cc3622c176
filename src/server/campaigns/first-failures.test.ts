import { expect, test } from "vitest";
import { accountRow, campaignRow } from "../../../tests/support/campaign-rows.ts";
import { testDatabase } from "../../../tests/support/database.ts";
import { DELIVERY } from "../../domain/delivery.ts";
import { ownerOf } from "../db/owner.ts";
import { settle } from "../sending/ledger/settle.ts";
import { firstFailures } from "./first-failures.ts";
import { findCampaigns } from "./repo.ts";

const { db } = await testDatabase();

test("a card names who failed, though as many did and as many were sent to as when it was looked at last", async () => {
  const account = await accountRow(db);
  const id = await campaignRow(db, account, { people: { sent: 1, error: 1 } });
  const owner = ownerOf(db, account);
  const findFailures = firstFailures();
  const failed = async () => {
    const rows = await findCampaigns(owner, { campaign: id, limit: 1 });
    return (await findFailures(owner, rows)).get(id)?.map(({ phone }) => phone);
  };
  expect(await failed()).toEqual(["5511900000001"]);
  await db.transaction().execute(async (tx) => {
    const at = new Date();
    await settle(tx, id, [{ seq: 1, to: DELIVERY.sent, at }]);
    await settle(tx, id, [{ seq: 0, to: DELIVERY.error, at, error: "no_ack" }], { from: [DELIVERY.sent] });
  });
  expect(await failed()).toEqual(["5511900000000"]);
});
