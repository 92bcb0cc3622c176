import { sql } from "kysely";
import { expect, test } from "vitest";
import { testDatabase } from "../../../tests/support/database.ts";
import { makeAccount, makeCampaign, makeConnection } from "../../../tests/support/sending.ts";
import { ownerOf } from "../db/owner.ts";
import { startNext } from "./audience.ts";
import { createResend } from "./campaign-life.ts";

const { db, database } = await testDatabase();

async function setting() {
  const accountId = await makeAccount(db);
  const connectionId = await makeConnection(db, accountId);
  return { accountId, connectionId, owner: ownerOf(db, accountId) };
}

test("F27 who is in doubt in a resend that was cancelled gets no other: their message may have left", async () => {
  const { accountId, connectionId, owner } = await setting();
  const campaignId = await makeCampaign(db, accountId, { people: 2, connectionId });
  await startNext(database);
  await sql`update delivery set status = 5, error = 'x' where campaign_id = ${campaignId}`.execute(db);
  await sql`update campaign set life = 'ended', cursor = 2, n_pending = 0, n_error = 2 where id = ${campaignId}`.execute(
    db,
  );
  const first = await createResend(owner, campaignId);
  await startNext(database);
  // At a gateway a doubt is looked for after the cancel as well.
  await sql`update delivery set status = 2, ambiguous = seq = 0, not_before = now() + interval '15 minutes'
    where campaign_id = ${first}`.execute(db);
  await sql`update campaign set life = 'cancelled', cursor = 2, n_pending = 0, n_waiting = 2 where id = ${first}`.execute(
    db,
  );
  const second = await createResend(owner, campaignId);
  await startNext(database);
  const { rows } = await sql`select phone::text as phone from delivery where campaign_id = ${second}`.execute(
    db,
  );
  expect(rows).toEqual([{ phone: "5511900000001" }]);
});

test("people are sent to in the order of their list, and so is a resend", async () => {
  const { accountId, connectionId, owner } = await setting();
  const campaignId = await makeCampaign(db, accountId, { people: 3, connectionId });
  await sql`update contact set seq = 9 - seq where list_id = (select list_id from campaign where id = ${campaignId})`.execute(
    db,
  );
  const phones = async (id: number) => {
    await startNext(database);
    const { rows } = await sql<{ phone: string }>`select phone::text as phone from delivery
      where campaign_id = ${id} order by seq`.execute(db);
    return rows.map(({ phone }) => phone);
  };
  const inOrder = ["5511900000002", "5511900000001", "5511900000000"];
  expect(await phones(campaignId)).toEqual(inOrder);
  await sql`update delivery set status = 5, error = 'x' where campaign_id = ${campaignId}`.execute(db);
  await sql`update campaign set life = 'ended', cursor = 3, n_pending = 0, n_error = 3 where id = ${campaignId}`.execute(
    db,
  );
  expect(await phones(await createResend(owner, campaignId))).toEqual(inOrder);
});
