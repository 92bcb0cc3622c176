import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { Logger } from "pino";
import type { Config } from "../base/config.ts";
import { OWN_FOLDER } from "../base/root-folder.ts";
import { codeOf, StartError, systemReason } from "../base/start-error.ts";
import { type Database, openDatabase } from "../db/client.ts";
import { isDatabaseDown } from "../db/errors.ts";
import { migrate } from "../db/migrate.ts";
import { checkSecretKey, createSecrets, readSecretKey, type Secrets } from "../db/secrets.ts";
import { type DataFolder, openDataFolder } from "./data-folder.ts";
import { embeddedUrl, startEmbeddedPostgres } from "./embedded-postgres.ts";

const DATABASE = "recado";

/** By role. Two full processes and their listeners fit into PostgreSQL's 100. */
const CONNECTIONS = {
  all: { work: 14, pages: 14 },
  worker: { work: 14, pages: 1 },
  web: { work: 6, pages: 14 },
} as const;

export type RawStorage = {
  database: Database;
  /** A separate pool for pages and programs, so that sending never waits for it. */
  pages: Database;
  kind: "embedded" | "external";
  dataFolder: string;
  notices: string[];
  close(): Promise<void>;
};

export type Storage = RawStorage & { secrets: Secrets };

type Opening = {
  visit?: boolean;
  failed?: ((code: string | null) => void) | undefined;
  signal?: AbortSignal;
};

/** With `visit` it uses the database of a running Recado, never migrates it and leaves it running. */
export async function openStorage(config: Config, log: Logger, opening: Opening = {}): Promise<Storage> {
  const { visit = false } = opening;
  const raw = await openRawStorage(config, log, opening);
  try {
    await migrate(raw.database, log, { visit, alone: raw.kind === "embedded" });
    const secrets = createSecrets(readSecretKey(config.secretKey, raw.dataFolder));
    await checkSecretKey(raw.database.db, secrets);
    return { ...raw, secrets };
  } catch (error) {
    await raw.close();
    throw error;
  }
}

/** Without migrating, for copies of an older version. */
export async function openRawStorage(
  config: Config,
  log: Logger,
  { visit = false, failed, signal }: Opening = {},
): Promise<RawStorage> {
  const stops: (() => Promise<void>)[] = [];
  const close = async () => {
    for (const stop of stops.splice(0).reverse()) await stop();
  };
  try {
    const external = config.databaseUrl;
    const folder = await openDataFolder(config.dataFolder, { hold: external === null, visit });
    stops.push(folder.release);
    const url = external ?? (await embedded(folder, log, stops));
    const { work, pages: most } = CONNECTIONS[config.process];
    const heard = failed ? { failed } : {};
    const database = openDatabase(url, { log, identity: identity(), max: work, ...heard });
    // Idle page connections are closed, since a dead one would not be noticed.
    const pages = openDatabase(url, { log, max: most, idleMs: 10_000, name: "recado-pages", ...heard });
    stops.push(database.close, pages.close);
    // A person at a terminal must see it at once.
    if (external !== null)
      await untilReached(database, external, { log, limitMs: visit ? 0 : REACH_LIMIT_MS, signal });
    const notices = folder.notice ? [folder.notice] : [];
    const kind = external ? "external" : "embedded";
    return { database, pages, kind, dataFolder: folder.path, notices, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** An external database often starts together with us. */
const REACH_LIMIT_MS = 30_000;

async function untilReached(
  database: Database,
  url: string,
  { log, limitMs, signal }: { log: Logger; limitMs: number; signal: AbortSignal | undefined },
): Promise<void> {
  const end = performance.now() + limitMs;
  for (;;) {
    try {
      await database.query("select 1");
      return;
    } catch (error) {
      if (!isDatabaseDown(error) || performance.now() > end) throw unreachable(url, error);
      log.warn({ err: error }, "waiting for the database");
      await pause(1_000, null, signal ? { signal } : {});
    }
  }
}

/** Without the password of the address. */
function unreachable(url: string, error: unknown): StartError {
  const place = URL.canParse(url) ? new URL(url).host : "";
  const ofCertificate = /CERT|LEAF/.test(codeOf(error));
  const advice = ofCertificate
    ? " No endereço, sslmode=verify-full&sslrootcert=ARQUIVO diz em quem confiar, e sslmode=no-verify não confere nada."
    : "";
  return new StartError(
    `O banco de dados de DATABASE_URL (${place}) não atende: ${systemReason(error)}.${advice}`,
  );
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

const identity = () => `${readVersion()} ${process.pid} ${os.hostname()}`;

export function readVersion(): string {
  const file = path.join(OWN_FOLDER, "package.json");
  return (JSON.parse(fs.readFileSync(file, "utf8")) as { version: string }).version;
}
