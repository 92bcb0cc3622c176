import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import pino from "pino";
import { openDatabase } from "../../src/server/db/client.ts";
import { migrate } from "../../src/server/db/migrate.ts";
import { startEmbeddedPostgres } from "../../src/server/postgres/embedded-postgres.ts";
import { createDatabase, dropDatabase, inDatabase } from "./server-databases.ts";

const log = pino({ level: "warn" }, pino.destination({ dest: 2, sync: true }));

const FAST = { fsync: "off", synchronous_commit: "off", full_page_writes: "off", max_connections: "300" };

export type RunPostgres = {
  server: string;
  template: string;
  stop(): Promise<void>;
};

/** One PostgreSQL per run: ours, or that of RECADO_TEST_DATABASE_URL or DATABASE_URL. */
export async function startRunPostgres(): Promise<RunPostgres> {
  const external = process.env.RECADO_TEST_DATABASE_URL ?? process.env.DATABASE_URL;
  const own = external ? null : await startOwn();
  const server = own?.server ?? external ?? "";
  const template = `recado_template_${process.pid}`;
  await createDatabase(server, template, null);
  const database = openDatabase(inDatabase(server, template), { log });
  await migrate(database, log);
  await database.close();
  return {
    server,
    template,
    async stop() {
      await dropDatabase(server, template);
      await own?.stop();
    },
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
