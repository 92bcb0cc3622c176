import { sql } from "kysely";
import { expect, test } from "vitest";
import { testDatabase } from "../../../../tests/support/database.ts";
import { makeAccount, makeCampaign, makeConnection } from "../../../../tests/support/sending.ts";
import { startNext } from "./audience.ts";

const { db, database } = await testDatabase();

async function setting() {
  const accountId = await makeAccount(db);
  return { accountId, connectionId: await makeConnection(db, accountId) };
}

test("without a choice a campaign takes, when it starts, the connection made default, else the first connected one @decision 27", async () => {
  const { accountId, connectionId: down } = await setting();
  await sql`update connection set state = 'disconnected', desired = 'disconnected' where id = ${down}`.execute(
    db,
  );
  const [first, second] = [await makeConnection(db, accountId), await makeConnection(db, accountId)];
  await sql`update connection set state = 'connected' where id in (${first}, ${second})`.execute(db);
  const startsAt = async () => {
    const campaignId = await makeCampaign(db, accountId, { people: 1, connectionId: null });
    expect(await startNext(database)).toMatchObject({ campaignId });
    const { rows } = await sql<{
      id: number;
    }>`select connection_id as id from campaign where id = ${campaignId}`.execute(db);
    return rows[0]?.id;
  };
  expect(await startsAt()).toBe(first);
  await sql`update connection set is_default = true where id = ${second}`.execute(db);
  expect(await startsAt()).toBe(second);
});

test("without a choice or connected number, a campaign takes a linked one that reconnects by itself @decision 27", async () => {
  const { accountId, connectionId: gone } = await setting();
  const set = (id: number, state: string, cause: string | null, pairing: string | null = "phone") =>
    sql`update connection set desired = 'connected', state = ${state}, state_reason = ${cause}, pairing = ${pairing}
      where id = ${id}`.execute(db);
  const startsAt = async () => {
    const campaignId = await makeCampaign(db, accountId, { people: 1, connectionId: null });
    expect(await startNext(database)).toMatchObject({ campaignId });
    const { rows } = await sql<{ id: number | null; cause: string | null }>`
      select connection_id as id, pause_reason as cause from campaign where id = ${campaignId}`.execute(db);
    return rows[0];
  };
  const noConnection = { id: null, cause: "no_default_connection" };
  await set(gone, "disconnected", "logged_out");
  expect(await startsAt()).toEqual(noConnection);
  await set(gone, "pending", null);
  expect(await startsAt()).toEqual(noConnection);
  const back = await makeConnection(db, accountId);
  await set(back, "connecting", null, null);
  expect(await startsAt()).toEqual(noConnection);
  await set(gone, "disconnected", "banned");
  await set(back, "connecting", "network");
  expect(await startsAt()).toEqual({ id: back, cause: null });
  await set(back, "disconnected", "unreachable");
  expect(await startsAt()).toEqual({ id: back, cause: null });
});
