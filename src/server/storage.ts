import fs from "node:fs";
import path from "node:path";
import type { Logger } from "pino";
import type { Config } from "./config.ts";
import { type DataFolder, openDataFolder } from "./data-folder.ts";
import { type Database, openDatabase } from "./db/client.ts";
import { embeddedUrl, startEmbeddedPostgres } from "./db/embedded-postgres.ts";
import { migrate } from "./db/migrate.ts";
import { checkSecretKey, createSecrets, readSecretKey, type Secrets } from "./secrets.ts";

const DATABASE = "recado";

export type Storage = {
  database: Database;
  kind: "embedded" | "external";
  /** Absolute: what is not in the database and must survive, such as uploads that wait. */
  dataFolder: string;
  secrets: Secrets;
  /** What the person who starts us should read, in words. */
  notices: string[];
  /** Connections first, the database last. */
  close(): Promise<void>;
};

/**
 * Everything that survives: the database, ours or another, brought to this version, and the key of its secrets.
 * With `visit`, a running Recado on the same data folder is no obstacle: its database is used, and left running.
 */
export async function openStorage(config: Config, log: Logger, visit = false): Promise<Storage> {
  const stops: (() => Promise<void>)[] = [];
  const close = async () => {
    for (const stop of stops.splice(0).reverse()) await stop();
  };
  try {
    const external = config.databaseUrl;
    const folder = await openDataFolder(config.dataFolder, { hold: external === null, visit });
    stops.push(folder.release);
    const url = external ?? (await embedded(folder, log, stops));
    const database = openDatabase(url, { log });
    stops.push(database.close);
    await migrate(database, log);
    const secrets = createSecrets(readSecretKey(config.secretKey, folder.path));
    await checkSecretKey(database.db, secrets);
    const notices = folder.notice ? [folder.notice] : [];
    const kind = external ? "external" : "embedded";
    return { database, kind, dataFolder: folder.path, secrets, notices, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function embedded(folder: DataFolder, log: Logger, stops: (() => Promise<void>)[]): Promise<string> {
  if (!folder.held) return embeddedUrl(folder.run, DATABASE);
  const postgres = await startEmbeddedPostgres({ dataFolder: folder.path, runFolder: folder.run, log });
  stops.push(postgres.stop);
  await createIfMissing(postgres.url("postgres"), log);
  return postgres.url(DATABASE);
}

async function createIfMissing(server: string, log: Logger): Promise<void> {
  const database = openDatabase(server, { log, max: 1 });
  try {
    const { rowCount } = await database.query("select from pg_database where datname = $1", [DATABASE]);
    if (rowCount === 0) await database.query(`create database ${DATABASE}`);
  } finally {
    await database.close();
  }
}

/** The version of this program, as package.json says it. */
export function readVersion(): string {
  const file = path.join(import.meta.dirname, "..", "..", "package.json");
  return (JSON.parse(fs.readFileSync(file, "utf8")) as { version: string }).version;
}
