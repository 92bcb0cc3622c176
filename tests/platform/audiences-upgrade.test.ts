import { sql } from "kysely";
import { expect, test } from "vitest";
import { applyMigrations, migrate, readMigrations } from "../../src/server/db/migrate.ts";
import { accountRow, connectionRow } from "../support/campaign-rows.ts";
import { testDatabase, testLog } from "../support/database.ts";

const { db, database } = await testDatabase({ empty: true });

test("after an upgrade campaigns keep their list alone and their text as it is, and people that a human answered from the phone are known", async () => {
  const old = readMigrations().filter(({ name }) => name < "0100");
  await db.transaction().execute((tx) => applyMigrations(tx, old));
  const account = await accountRow(db);
  const connection = await connectionRow(db, account);
  await sql`insert into campaign (account_id, name, zone, status, nonce, list_name)
    values (${account}::uuid, 'C', 'UTC', 'ended', 1, 'Clientes')`.execute(db);
  const talk = async (phone: number, viaApi: boolean, days: number) => {
    const { rows } = await sql<{ id: number }>`insert into chat (account_id, connection_id, kind, phone)
      values (${account}::uuid, ${connection}, 'person', ${phone}) returning id`.execute(db);
    await sql`insert into chat_message (chat_id, account_id, connection_id, provider_id, from_me, via_api, at)
      values (${rows[0]?.id}, ${account}::uuid, ${connection}, ${String(phone)}, true, ${viaApi}, now() - make_interval(days => ${days}))`.execute(
      db,
    );
  };
  await talk(5_531_900_000_001, false, 2);
  await talk(5_531_900_000_002, true, 2);
  await talk(5_531_900_000_003, false, 90);
  await sql`insert into known_conversation (connection_id, address, last_in_at)
    values (${connection}, '5531900000001', now() - interval '3 days')`.execute(db);
  await migrate(database, testLog);
  const { rows } = await sql`select address, now() - last_in_at > interval '71 h' as wrote,
    now() - last_answered_at < interval '49 h' as answered from known_conversation`.execute(db);
  expect(rows).toEqual([{ address: "5531900000001", wrote: true, answered: true }]);
  expect((await sql`select audience, list_name, leave_hint from campaign`.execute(db)).rows).toEqual([
    { audience: null, list_name: "Clientes", leave_hint: false },
  ]);
  expect((await sql`select campaigns_per_week, opt_out_confirmation from account`.execute(db)).rows).toEqual([
    { campaigns_per_week: null, opt_out_confirmation: null },
  ]);
});
