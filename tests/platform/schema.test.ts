import { expect, test } from "vitest";
import { testDatabase } from "../support/database.ts";
import { dumpSchema } from "../support/schema-dump.ts";

const { db } = await testDatabase();

test("db/schema.sql is what the migrations add up to", async () => {
  await expect(await dumpSchema(db)).toMatchFileSnapshot("../../db/schema.sql");
});
