import { sql } from "kysely";
import { expect, test } from "vitest";
import { testDatabase } from "../../../../tests/support/database.ts";
import { makeAccount, makeCampaign, makeConnection } from "../../../../tests/support/sending.ts";
import { startNext } from "../campaigns/audience.ts";
import { recount } from "./recount.ts";

const { db, database } = await testDatabase();

test("a counter that differs from its rows is found, and one that agrees is not", async () => {
  const accountId = await makeAccount(db);
  const connectionId = await makeConnection(db, accountId);
  const good = await makeCampaign(db, accountId, { people: 5, connectionId });
  await startNext(database);
  const bad = await makeCampaign(db, accountId, { people: 5, connectionId });
  await startNext(database);
  expect(await recount(db, 2)).toEqual([]);

  await sql`update campaign set pending_count = 4, sent_count = 1 where id = ${bad}`.execute(db);
  expect(good).not.toBe(bad);
  expect(await recount(db, 2)).toEqual([
    {
      campaignId: bad,
      total: 5,
      counters: [4, 0, 0, 0, 0, 0, 0, 1, 0, 0],
      rows: [5, 0, 0, 0, 0, 0, 0, 0, 0, 0],
    },
  ]);

  await sql`update account set removed_at = now() where id = ${accountId}::uuid`.execute(db);
  expect(await recount(db, 2)).toEqual([]);
});
