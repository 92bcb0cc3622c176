import { randomBytes } from "node:crypto";
import pino, { type Logger } from "pino";
import { afterAll, inject } from "vitest";
import { type Database, type Db, openDatabase } from "../../src/server/db/client.ts";
import { createDatabase, dropDatabase, inDatabase } from "./server-databases.ts";

export const testLog: Logger = pino(
  { level: process.env.LOG_LEVEL ?? "silent" },
  pino.destination({ dest: 2, sync: true }),
);

export type TestDatabase = {
  db: Db;
  database: Database;
  url: string;
};

export async function testDatabase(options: { empty?: boolean } = {}): Promise<TestDatabase> {
  const server = inject("databaseServer");
  const name = `recado_test_${randomBytes(6).toString("hex")}`;
  await createDatabase(server, name, options.empty ? null : inject("databaseTemplate"));
  const url = inDatabase(server, name);
  // A test may hold a lock for longer on a busy machine; the tests of the watchdog open their own.
  const database = openDatabase(url, { log: testLog, silenceMs: 600_000 });
  afterAll(async () => {
    await database.close();
    await dropDatabase(server, name);
  });
  return { db: database.db, database, url };
}
