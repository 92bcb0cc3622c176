import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import pino from "pino";
import { openDatabase } from "../src/server/db/client.ts";
import { migrate } from "../src/server/db/migrate.ts";
import { startEmbeddedPostgres } from "../src/server/postgres/embedded-postgres.ts";

export type BenchPostgres = {
  url: string;
  another(): Promise<string>;
  /** Without open connections to it; the same rows for each run. */
  copyOf(url: string): Promise<string>;
  drop(url: string): Promise<void>;
  folder: string;
  stop(): Promise<void>;
};

/** A PostgreSQL with the product's settings (synced) in its own folder, or that of DATABASE_URL. */
export async function benchPostgres(): Promise<BenchPostgres> {
  const log = pino({ level: "warn" }, pino.destination({ dest: 2, sync: true }));
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "recado-bench-"));
  fs.chmodSync(folder, 0o755);
  const external = process.env.DATABASE_URL;
  const own = external
    ? null
    : await startEmbeddedPostgres({ dataFolder: folder, runFolder: path.join(folder, "run"), log });
  const server = external ?? own?.url("postgres") ?? "";
  // The server is a separate process and would outlive an aborted run.
  const abandon = () => {
    if (own) process.kill(own.pid(), "SIGQUIT");
    // Waits for its end: it would write into the folder while it is removed.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500);
    fs.rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
  };
  process.once("exit", abandon);
  const names = new Map<string, string>();
  let made = 0;
  const create = async (how: string) => {
    const name = `recado_bench_${process.pid}_${made++}`;
    await onServer(server, `create database ${name} ${how}`);
    const url = own ? own.url(name) : server.replace(/\/[^/?]*(\?|$)/, `/${name}$1`);
    names.set(url, name);
    return url;
  };
  const drop = async (url: string) => {
    await onServer(server, `drop database ${names.get(url)} with (force)`);
    names.delete(url);
  };
  const another = async () => {
    const url = await create("");
    const database = openDatabase(url, { log, max: 1 });
    await migrate(database, log);
    await database.close();
    return url;
  };
  return {
    url: await another(),
    another,
    copyOf: (url) => create(`template ${names.get(url)} strategy file_copy`),
    drop,
    folder,
    async stop() {
      process.off("exit", abandon);
      for (const url of names.keys()) await drop(url);
      await own?.stop();
      fs.rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function onServer(url: string, statement: string): Promise<void> {
  const database = openDatabase(url, { log: pino({ level: "silent" }), max: 1 });
  try {
    await database.query(statement);
  } finally {
    await database.close();
  }
}
