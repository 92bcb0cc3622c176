import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import pino from "pino";
import type { TestProject } from "vitest/node";
import { openDatabase } from "../../src/server/db/client.ts";
import { startEmbeddedPostgres } from "../../src/server/db/embedded-postgres.ts";
import { migrate } from "../../src/server/db/migrate.ts";
import { createDatabase, dropDatabase, inDatabase } from "./server-databases.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The server's own database (`postgres`), from which the files' databases are made. */
    databaseServer: string;
    /** The migrated database that every test file's own is copied from. */
    databaseTemplate: string;
  }
}

const log = pino({ level: "warn" }, pino.destination({ dest: 2, sync: true }));

/** Nothing of a test run must survive a power cut, so nothing is synced; everything else is as in the product. */
const FAST = { fsync: "off", synchronous_commit: "off", full_page_writes: "off", max_connections: "300" };

/** One PostgreSQL for the run: ours, or the one that RECADO_TEST_DATABASE_URL or DATABASE_URL points at. */
export default async function setup(project: TestProject) {
  const external = process.env.RECADO_TEST_DATABASE_URL ?? process.env.DATABASE_URL;
  const own = external ? null : await startOwn();
  const server = own?.server ?? external ?? "";
  const template = `recado_template_${process.pid}`;
  await createDatabase(server, template, null);
  const database = openDatabase(inDatabase(server, template), { log });
  await migrate(database, log);
  await database.close();
  project.provide("databaseServer", server);
  project.provide("databaseTemplate", template);
  return async () => {
    await dropDatabase(server, template);
    await own?.stop();
  };
}

async function startOwn() {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "recado-test-"));
  fs.chmodSync(folder, 0o755);
  const postgres = await startEmbeddedPostgres({
    dataFolder: folder,
    runFolder: path.join(folder, "run"),
    log,
    settings: FAST,
  });
  return {
    server: postgres.url("postgres"),
    async stop() {
      await postgres.stop();
      fs.rmSync(folder, { recursive: true, force: true });
    },
  };
}
