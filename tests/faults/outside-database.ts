import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import pino from "pino";
import { startEmbeddedPostgres } from "../../src/server/postgres/embedded-postgres.ts";
import { databaseTarget, databaseThrough, type FaultProxy, openFaultProxy } from "../support/fault-proxy.ts";
import { createDatabase } from "../support/server-databases.ts";
import type { Elsewhere } from "./installation.ts";

export type OutsideDatabase = Elsewhere & {
  wire: FaultProxy;
  close(): Promise<void>;
};

/** An external database behind a proxy that can fail; without `given`, on a PostgreSQL of its own. */
export async function openOutsideDatabase(given?: string): Promise<OutsideDatabase> {
  const own = given === undefined ? await startOwn() : null;
  const direct = given ?? own?.url ?? "";
  const wire = await openFaultProxy(databaseTarget(direct));
  return {
    direct,
    wire,
    through: databaseThrough(direct, wire.port),
    async close() {
      await wire.close();
      await own?.close();
    },
  };
}

async function startOwn() {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "recado-outside-"));
  fs.chmodSync(folder, 0o755);
  const postgres = await startEmbeddedPostgres({
    dataFolder: folder,
    runFolder: path.join(folder, "run"),
    log: pino({ level: "silent" }),
    settings: { max_connections: "200" },
  });
  await createDatabase(postgres.url("postgres"), "recado", null);
  return {
    url: postgres.url("recado"),
    async close() {
      await postgres.stop();
      fs.rmSync(folder, { recursive: true, force: true });
    },
  };
}
