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

test("after an upgrade a scheduled campaign's variables have the kinds of their fields, in their order", async () => {
  const { db: fresh, database: other } = await testDatabase({ empty: true });
  const old = readMigrations().filter(({ name }) => name < "0101");
  await fresh.transaction().execute((tx) => applyMigrations(tx, old));
  const account = await makeAccount(fresh);
  await sql`insert into contact_field (account_id, key, label, kind, seq)
    values (${account}::uuid, 'dia', 'Dia', 'date', 0), (${account}::uuid, 'lote', 'Lote', 'text', 1)`.execute(
    fresh,
  );
  const variables = [
    { key: "lote", fallback: null },
    { key: "dia", fallback: "breve" },
    { key: "sumiu", fallback: null },
  ];
  for (const [nonce, each] of [variables, []].entries())
    await sql`insert into campaign (account_id, name, text, variables, interval_seconds, jitter_seconds, zone, nonce)
      values (${account}::uuid, 'C', '', ${JSON.stringify(each)}::jsonb, 60, 0, 'America/Sao_Paulo', ${nonce})`.execute(
      fresh,
    );
  await migrate(other, testLog);
  const { rows } = await sql<{ variables: unknown }>`select variables from campaign order by nonce`.execute(
    fresh,
  );
  expect(rows.map((row) => row.variables)).toEqual([
    [
      { key: "lote", fallback: null, kind: "text" },
      { key: "dia", fallback: "breve", kind: "date" },
      { key: "sumiu", fallback: null, kind: "text" },
    ],
    [],
  ]);
});
