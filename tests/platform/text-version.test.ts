import { sql } from "kysely";
import { expect, test } from "vitest";
import { applyMigrations, migrate, readMigrations } from "../../src/server/db/migrate.ts";
import { testDatabase, testLog } from "../support/database.ts";
import { makeAccount } from "../support/sending.ts";

const { db, database } = await testDatabase({ empty: true });

test("MS01 IM28 after an upgrade started campaigns keep message and names; drafts and scheduled ones change", async () => {
  const old = readMigrations().filter(({ name }) => name < "0026");
  await db.transaction().execute((tx) => applyMigrations(tx, old));
  const account = await makeAccount(db);
  const rows = [
    ["sending", "Olá {primeiro_nome}"],
    ["ended", "Olá {PRIMEIRO_NOME}"],
    ["draft", "Olá {primeiro_nome}"],
    ["scheduled", "Olá {primeiro_nome}"],
    ["ended", "Olá {nome}"],
  ] as const;
  for (const [nonce, [life, text]] of rows.entries())
    await sql`insert into campaign (account_id, name, text, life, interval_s, extra_s, zone, nonce, scheduled_at, scheduled_wall)
      values (${account}::uuid, 'C', ${text}, ${life}, 60, 0, 'America/Sao_Paulo', ${nonce},
        ${life === "scheduled" ? sql`now()` : null}, ${life === "scheduled" ? "2026-11-27T08:00" : null})`.execute(
      db,
    );
  await migrate(database, testLog);
  const { rows: now } = await sql<{ text_version: number }>`
    select text_version from campaign order by nonce`.execute(db);
  expect(now.map(({ text_version }) => text_version)).toEqual([1, 1, 2, 2, 1]);
});
