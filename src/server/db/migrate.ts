import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { sql } from "kysely";
import type { Logger } from "pino";
import { OWN_FOLDER } from "../base/root-folder.ts";
import { StartError, systemReason } from "../base/start-error.ts";
import type { Database, Db } from "./client.ts";
import { sqlState } from "./errors.ts";
import { livingProcesses } from "./living.ts";

export type Migration = { name: string; text: string; sha256: string };

/** Arbitrary, but the same in every version. */
const MIGRATION_LOCK = 7_265_170_001;
const OLDEST_SERVER = 150_000;

const FOLDER = path.join(OWN_FOLDER, "db", "migrations");

/** In order; line ends are normalized, so checkouts do not change hashes. */
export function readMigrations(folder = FOLDER): Migration[] {
  return fs
    .readdirSync(folder)
    .filter((name) => /^\d{4}_[a-z0-9_]+\.sql$/.test(name))
    .sort()
    .map((name) => {
      const text = fs.readFileSync(path.join(folder, name), "utf8").replaceAll("\r\n", "\n");
      return { name, text, sha256: createHash("sha256").update(text).digest("hex") };
    });
}

export type MigrateOptions = {
  folder?: string;
  /** For commands beside a server: refuses an older or empty database. */
  visit?: boolean;
  /** No other process can use this database. */
  alone?: boolean;
  /** Wait for processes of another version; dead ones keep their lease for seconds. */
  waitMs?: number;
};

const WAIT_MS = 15_000;
const LOOK_MS = 500;

/**
 * One transaction each, one process at a time; answers applied names. Refuses old servers, newer or edited
 * schemas, and changes while another version runs, which would write wrong data.
 */
export async function migrate(
  database: Database,
  log: Logger,
  options: MigrateOptions = {},
): Promise<string[]> {
  const migrations = readMigrations(options.folder);
  return database.session(({ db }) => lockMigrations(db, () => applyMissing(db, migrations, log, options)));
}

/** Runs schema changes in one process at a time; refuses old servers and encodings that cut text. */
export async function lockMigrations<T>(db: Db, work: () => Promise<T>): Promise<T> {
  await refuseUnfitServer(db);
  // Session lock: freed if this process dies.
  await sql`select pg_advisory_lock(${MIGRATION_LOCK})`.execute(db);
  try {
    // Also frees the lock of a process frozen in a migration.
    await sql`set idle_in_transaction_session_timeout = '5min'`.execute(db);
    return await work();
  } catch (error) {
    throw sqlState(error) === NOT_ALLOWED ? await notifyOwner(db, error) : error;
  } finally {
    // A lost connection freed the lock already, and its own error must be reported.
    await sql`select pg_advisory_unlock(${MIGRATION_LOCK})`.execute(db).catch(() => undefined);
  }
}

const NOT_ALLOWED = "42501";

/** Since PostgreSQL 15 ALL on a database excludes creating tables; the owner may. */
async function notifyOwner(db: Db, error: unknown): Promise<StartError> {
  const { rows } = await sql<{ user: string; database: string }>`
    select quote_ident(current_user) as user, quote_ident(current_database()) as database`.execute(db);
  const { user, database } = rows[0] ?? { user: "–", database: "–" };
  return new StartError(
    `O usuário ${user} não pode criar o que o Recado precisa no banco de dados ${database} (${systemReason(error)}). ` +
      `Como administrador do PostgreSQL: alter database ${database} owner to ${user};`,
  );
}

export async function applyMigrations(tx: Db, migrations: readonly Migration[]): Promise<void> {
  await makeTable(tx);
  for (const { name, text, sha256 } of migrations) {
    await sql.raw(text).execute(tx);
    await sql`insert into schema_migration (name, sha256) values (${name}, ${sha256})`.execute(tx);
  }
}

async function applyMissing(
  db: Db,
  migrations: Migration[],
  log: Logger,
  { visit = false, alone = false, waitMs = WAIT_MS }: MigrateOptions,
): Promise<string[]> {
  const known = await appliedMigrations(db);
  refuseStrangers(known, migrations);
  const missing = migrations.filter(({ name }) => !known.has(name));
  if (visit) refuseUnready(known, missing);
  if (missing.length > 0 && known.size > 0 && !alone) await refuseLiving(db, log, waitMs);
  for (const migration of missing) {
    await db.transaction().execute((tx) => applyMigrations(tx, [migration]));
    // A first start applies all: one log line.
    if (known.size > 0) log.info({ migration: migration.name }, "migration applied");
  }
  if (known.size === 0) log.info({ migrations: missing.length }, "database set up");
  return missing.map(({ name }) => name);
}

/** They must be another version's: ours would have migrated before. */
async function refuseLiving(db: Db, log: Logger, waitMs: number): Promise<void> {
  const end = performance.now() + waitMs;
  for (;;) {
    const living = await livingProcesses(db);
    if (living.length === 0) return;
    if (performance.now() >= end)
      throw new StartError(
        `Esta versão do Recado muda o banco de dados, e outra ainda roda nele: ${living.join("; ")}. Nada foi mudado. ` +
          "Encerre todos os processos da outra versão e inicie de novo; um que caiu deixa de contar em um minuto.",
      );
    log.warn({ processes: living }, "waiting for processes of another version to end");
    await pause(LOOK_MS);
  }
}

async function appliedMigrations(db: Db): Promise<Map<string, string>> {
  const table = await sql<{
    found: boolean;
  }>`select to_regclass('schema_migration') is not null as found`.execute(db);
  if (!table.rows[0]?.found) return new Map();
  return new Map((await listMigrations(db)).map((row) => [row.name, row.sha256]));
}

/** Applied ones, oldest first. Fails before the first start. */
export async function listMigrations(db: Db): Promise<{ name: string; sha256: string }[]> {
  const { rows } = await sql<{
    name: string;
    sha256: string;
  }>`select name, sha256 from schema_migration order by name`.execute(db);
  return rows;
}

/** SQL: name of the latest migration. */
export const LATEST_MIGRATION = sql<string | null>`(select max(name) from schema_migration)`;

async function makeTable(db: Db): Promise<void> {
  await sql`create table if not exists schema_migration (
    name text primary key, sha256 text not null, applied_at timestamptz not null default now())`.execute(db);
}

/** Before any write: an old program would damage a newer database. */
function refuseStrangers(known: Map<string, string>, migrations: Migration[]): void {
  const ours = new Map(migrations.map(({ name, sha256 }) => [name, sha256]));
  const newer = [...known.keys()].filter((name) => !ours.has(name)).sort();
  if (newer.length > 0) {
    throw new StartError(
      `Este banco de dados foi atualizado por uma versão mais nova do Recado (${newer.join(", ")}). ` +
        "Use a versão mais nova, ou volte a cópia de segurança feita antes da atualização.",
    );
  }
  const edited = [...known].filter(([name, sha256]) => ours.get(name) !== sha256).map(([name]) => name);
  if (edited.length > 0) {
    throw new StartError(
      `Estas migrações já foram aplicadas e o arquivo mudou depois: ${edited.sort().join(", ")}. ` +
        "Um arquivo aplicado não se edita: desfaça a mudança e crie outra migração.",
    );
  }
}

/**
 * Tables in a wrong, empty database would block a restore, and an older running program would fail after
 * migrations.
 */
function refuseUnready(known: ReadonlyMap<string, string>, missing: readonly Migration[]): void {
  if (missing.length === 0) return;
  if (known.size === 0)
    throw new StartError(
      "Não há um Recado neste banco de dados, e nada foi feito. Confira DATABASE_URL e RECADO_DATA, que precisam ser os do servidor; " +
        "um novo começa com npm start, ou com npm run restore.",
    );
  throw new StartError(
    `Este banco de dados ainda é de uma versão anterior do Recado (falta ${missing.map(({ name }) => name).join(", ")}). ` +
      "Nada foi feito. Encerre o Recado, inicie esta versão, que o atualiza, e repita o comando.",
  );
}

type Server = { number: string; words: string; encoding: string };

async function refuseUnfitServer(db: Db): Promise<void> {
  const { rows } = await sql<Server>`
    select current_setting('server_version_num') as number, current_setting('server_version') as words,
      current_setting('server_encoding') as encoding`.execute(db);
  const [server] = rows;
  if (!(Number(server?.number) >= OLDEST_SERVER))
    throw new StartError(`O Recado precisa do PostgreSQL 15 ou mais novo; este é ${server?.words}.`);
  // LATIN1 has no «😀»; SQL_ASCII counts and cuts bytes.
  if (server?.encoding !== "UTF8")
    throw new StartError(
      `O Recado precisa de um banco de dados em UTF8; este é ${server?.encoding}. Crie outro (create database … ` +
        "template template0 encoding 'UTF8') e defina DATABASE_URL com ele. Dados que já estejam neste passam com " +
        "npm run backup e npm run restore.",
    );
}
