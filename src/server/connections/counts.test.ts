import { expect, test } from "vitest";
import { accountRow, campaignRow, connectionRow } from "../../../tests/support/campaign-rows.ts";
import { testDatabase } from "../../../tests/support/database.ts";
import { ownerOf } from "../db/owner.ts";
import { listConnections } from "./repo.ts";

const { db } = await testDatabase();

test("a campaign without a choice is among those that stop with the only number there is, and with none of several", async () => {
  const account = await accountRow(db);
  const only = await connectionRow(db, account);
  const scheduledAt = new Date(Date.now() + 86_400_000);
  await campaignRow(db, account, { status: "scheduled", scheduledAt });
  await campaignRow(db, account, { status: "scheduled", scheduledAt, connectionId: only });
  await campaignRow(db, account, { status: "draft" });
  await campaignRow(db, await accountRow(db), { status: "scheduled", scheduledAt });
  const scheduled = async () => {
    const listed = await listConnections(ownerOf(db, account));
    return listed.map((one) => [one.id, one.scheduled]);
  };
  expect(await scheduled()).toEqual([[only, 2]]);
  // It waits for a person, so campaigns without a choice use the other one.
  const resting = await connectionRow(db, account, "disconnected");
  expect(await scheduled()).toEqual([
    [only, 2],
    [resting, 0],
  ]);
  const second = await connectionRow(db, account);
  expect(await scheduled()).toEqual([
    [only, 1],
    [resting, 0],
    [second, 0],
  ]);
});
