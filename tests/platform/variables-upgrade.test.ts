import { sql } from "kysely";
import { expect, test } from "vitest";
import { applyMigrations, migrate, readMigrations } from "../../src/server/db/migrate.ts";
import { testDatabase, testLog } from "../support/database.ts";
import { makeAccount } from "../support/sending.ts";

const { db, database } = await testDatabase({ empty: true });

test("after an upgrade a campaign that was sent has no variables, and its people no values, so its text stays", async () => {
  const old = readMigrations().filter(({ name }) => name < "0095");
  await db.transaction().execute((tx) => applyMigrations(tx, old));
  const account = await makeAccount(db);
  const { rows } = await sql<{ id: number }>`insert into campaign
      (account_id, name, text, status, interval_seconds, jitter_seconds, zone, nonce)
    values (${account}::uuid, 'C', 'Olá {nome}, {data}', 'ended', 60, 0, 'America/Sao_Paulo', 1) returning id`.execute(
    db,
  );
  await sql`insert into delivery (campaign_id, seq, phone, name, status)
    values (${rows[0]?.id}, 0, 5531987654321, 'Bia', 7)`.execute(db);
  await migrate(database, testLog);
  const now = await sql`select c.text, c.variables, d.name, d.status, d.vars
    from campaign c join delivery d on d.campaign_id = c.id`.execute(db);
  expect(now.rows).toEqual([
    { text: "Olá {nome}, {data}", variables: [], name: "Bia", status: 7, vars: null },
  ]);
});
