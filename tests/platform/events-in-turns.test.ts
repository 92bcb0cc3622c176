import { sql } from "kysely";
import { expect, test } from "vitest";
import { applyMigrations, migrate, readMigrations } from "../../src/server/db/migrate.ts";
import { testDatabase, testLog } from "../support/database.ts";
import { makeAccount, makeConnection } from "../support/sending.ts";

const { db, database } = await testDatabase({ empty: true });

test("27.1 unread events of the version before get their account; those of instances that are gone go", async () => {
  const old = readMigrations().filter(({ name }) => name < "0074");
  await db.transaction().execute((tx) => applyMigrations(tx, old));
  const accountId = await makeAccount(db);
  const connectionId = await makeConnection(db, accountId, "instance");
  await sql`insert into webhook_event (connection_id, key, body, tries, not_before)
    values (${connectionId}, 'a', '{}', 0, null), (${connectionId}, 'b', '{}', 2, now()), (-7, 'c', '{}', 0, null)`.execute(
    db,
  );
  await migrate(database, testLog);
  const { rows } = await sql`select account_id, key, tries from webhook_event order by key`.execute(db);
  expect(rows).toEqual([
    { account_id: accountId, key: "a", tries: 0 },
    { account_id: accountId, key: "b", tries: 2 },
  ]);
});
