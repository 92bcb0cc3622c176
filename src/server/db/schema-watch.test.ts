import { sql } from "kysely";
import { expect, test } from "vitest";
import { testDatabase, testLog } from "../../../tests/support/database.ts";
import { readMigrations } from "./migrate.ts";
import { SchemaWatch } from "./schema-watch.ts";

const { db } = await testDatabase();

test("27.10 F11 an old process finds out by itself that a newer version has changed the schema, and once", async () => {
  let heard = 0;
  const known = readMigrations().map(({ name }) => name);
  const watch = new SchemaWatch({ db, log: testLog, known, onNewer: () => void heard++ });
  expect(await watch.isNewer()).toBe(false);
  await sql`insert into schema_migration (name, sha256) values ('0001_newer.sql', '')`.execute(db);
  await expect.poll(() => heard, { timeout: 10_000 }).toBe(1);
  expect(await watch.isNewer()).toBe(true);
  expect(heard).toBe(1);
  await watch.close();
});
