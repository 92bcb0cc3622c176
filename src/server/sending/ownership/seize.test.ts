import { expect, test } from "vitest";
import { testDatabase } from "../../../../tests/support/database.ts";
import { leaseOf } from "../../../../tests/support/held-lanes.ts";
import { makeAccount, makeConnection } from "../../../../tests/support/sending.ts";
import { ownerOf } from "../../db/owner.ts";
import { acquireConnection, findFree } from "./acquire.ts";
import { seize } from "./seize.ts";
import { livingWorkers, seizingOwner } from "./workers.ts";

const { db } = await testDatabase();
const TAKER = "00000000-0000-4000-8000-000000000002";

test("a connection that is seized to be deleted is no other process's for a minute, and counts no process", async () => {
  const accountId = await makeAccount(db);
  const connectionId = await makeConnection(db, accountId);
  await leaseOf(db, TAKER);
  const { fence } = (await acquireConnection(db, connectionId, TAKER, "resend")) ?? {};
  const seizing = await seizingOwner(db, 60);
  expect(await seize(ownerOf(db, accountId), connectionId, seizing)).toBe((fence ?? 0) + 1);
  expect(await findFree(db, "device", 10)).toEqual([]);
  expect(await acquireConnection(db, connectionId, TAKER, "resend")).toBeNull();
  expect(await livingWorkers(db)).toBe(0);
});
