import { createHash, type Hash } from "node:crypto";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { sql } from "kysely";
import type { Logger } from "pino";
import { StartError } from "../base/start-error.ts";
import type { Database, Db, Session } from "../db/client.ts";
import { sqlState } from "../db/errors.ts";
import { applyMigrations, lockMigrations, type Migration, readMigrations } from "../db/migrate.ts";
import type { ByteStore } from "../files/service.ts";
import {
  copyText,
  fixTextForm,
  MIGRATIONS_TABLE,
  readTables,
  refuseFilled,
  setSequence,
  type Table,
} from "./catalog.ts";
import { damaged } from "./error.ts";
import { type Frame, readFrames } from "./frames.ts";
import { End, FileBegin, FileEnd, Header, readJson, Sequences, TableBegin, TableEnd } from "./header.ts";
import { linesIn } from "./write.ts";

export type Copy = {
  header: Header;
  migrations: Migration[];
  frames: AsyncIterator<Frame>;
  sum: Hash;
};

/** Throws a StartError for a newer program's copy, before any change. */
export async function openCopy(content: AsyncIterable<Buffer>): Promise<Copy> {
  const frames = readFrames(content)[Symbol.asyncIterator]();
  const head = (await frames.next()).value as Frame | undefined;
  const header = readJson(Header, "H", head);
  const ours = new Map(readMigrations().map((migration) => [migration.name, migration]));
  const unknown = header.migrations.filter(({ name, sha256 }) => ours.get(name)?.sha256 !== sha256);
  if (unknown.length > 0) {
    throw new StartError(
      `Esta cópia foi feita por outra versão do Recado (${header.product}), cujo banco esta não conhece ` +
        `(${unknown.map(({ name }) => name).join(", ")}). Restaure com a versão que a fez, ou com uma mais nova. ` +
        "Nada foi restaurado.",
    );
  }
  const migrations = header.migrations.flatMap(({ name }) => ours.get(name) ?? []);
  return { header, migrations, frames, sum: createHash("sha256").update(head?.body ?? "") };
}

export type Loading = {
  log: Logger;
  where: string;
  /** Runs in the same transaction, after rows and migrations. */
  finish(tx: Db): Promise<void>;
  files: Pick<ByteStore, "put" | "remove">;
};

export type Loaded = { tables: number; rows: number; files: number };

/** One transaction: on any error the database stays empty. */
export async function loadCopy(database: Database, copy: Copy, loading: Loading): Promise<Loaded> {
  const placed: string[] = [];
  const loaded = await database
    .session((session) =>
      lockMigrations(session.db, () =>
        session.db.transaction().execute(async (tx) => {
          await fixTextForm(tx);
          await refuseFilled(tx, loading.where);
          await applyMigrations(tx, copy.migrations);
          const counts = await loadTables({ tx, session, copy, files: loading.files, placed }).catch(
            nameDamage,
          );
          await compareCounts(tx, counts);
          const known = new Set(copy.migrations.map(({ name }) => name));
          await applyMigrations(
            tx,
            readMigrations().filter(({ name }) => !known.has(name)),
          );
          await loading.finish(tx);
          return {
            tables: counts.size,
            rows: [...counts.values()].reduce((sum, rows) => sum + rows, 0),
            files: placed.length,
          };
        }),
      ),
    )
    .catch(async (error: unknown) => {
      for (const key of placed) await loading.files.remove(key);
      throw error;
    });
  // For the planner. The rows are committed: an error here must not look like theirs.
  await database
    .session(({ db }) => sql`analyze`.execute(db))
    .catch((error: unknown) => loading.log.warn({ err: error }, "restored rows not analyzed yet"));
  loading.log.info(loaded, "backup restored");
  return loaded;
}

/** These columns wrote the data, so a row they refuse is damaged. */
function nameDamage(error: unknown): never {
  throw /^2[23]/.test(sqlState(error) ?? "") ? damaged("linhas") : error;
}

type Target = {
  tx: Db;
  session: Pick<Session, "copyIn">;
  copy: Copy;
  files: Pick<ByteStore, "put">;
  /** Keys in the store so far. */
  placed: string[];
};

async function loadTables({ tx, session, copy, files, placed }: Target): Promise<Map<string, number>> {
  const { frames, sum: all } = copy;
  const { tables } = await readTables(tx);
  const expected = new Map(tables.map((table) => [table.name, table]));
  // Rows that migrations insert are in the copy too.
  await sql`truncate ${sql.join(tables.map(({ name }) => sql.table(name)))}`.execute(tx);
  const next = async () => (await frames.next()).value as Frame | undefined;
  const summed = async () => {
    const part = await next();
    if (part) all.update(part.body);
    return part;
  };
  const counts = new Map<string, number>();
  let found = await next();
  for (; found?.kind === "T"; found = await next()) {
    all.update(found.body);
    const begin = readJson(TableBegin, "T", found);
    const table = expected.get(begin.name);
    if (!table || counts.has(begin.name) || !sameColumns(table, begin)) throw damaged(`tabela ${begin.name}`);
    counts.set(begin.name, await loadTable(session, begin, summed));
  }
  for (; found?.kind === "F"; found = await next()) {
    all.update(found.body);
    const { key } = readJson(FileBegin, "F", found);
    placed.push(key);
    await loadFile(files, key, summed);
  }
  const sequences = readJson(Sequences, "S", found);
  all.update(found?.body ?? "");
  for (const sequence of sequences) {
    if (!expected.get(sequence.table)?.columns.includes(sequence.column)) throw damaged("numeração");
    await setSequence(tx, sequence);
  }
  const end = readJson(End, "Z", await next());
  if (end.tables !== counts.size || counts.size !== expected.size || end.sha256 !== all.digest("hex"))
    throw damaged("soma de verificação");
  if (await next()) throw damaged("ordem das partes");
  return counts;
}

const sameColumns = (a: Table, b: Table) => a.columns.toSorted().join() === b.columns.toSorted().join();

async function loadTable(
  session: Pick<Session, "copyIn">,
  table: Table,
  next: () => Promise<Frame | undefined>,
): Promise<number> {
  const hash = createHash("sha256");
  let rows = 0;
  let last: Frame | undefined;
  async function* lines() {
    for (last = await next(); last?.kind === "R"; last = await next()) {
      hash.update(last.body);
      rows += linesIn(last.body);
      yield last.body;
    }
    // Checked first: a checksum mismatch must not look like a database error.
    const end = readJson(TableEnd, "E", last);
    if (end.rows !== rows || end.sha256 !== hash.digest("hex")) throw damaged(`tabela ${table.name}`);
  }
  await pipeline(Readable.from(lines()), session.copyIn(copyText(table, "from stdin")));
  return rows;
}

async function loadFile(
  files: Pick<ByteStore, "put">,
  key: string,
  next: () => Promise<Frame | undefined>,
): Promise<void> {
  const hash = createHash("sha256");
  let bytes = 0;
  let last: Frame | undefined;
  async function* pieces() {
    for (last = await next(); last?.kind === "B"; last = await next()) {
      hash.update(last.body);
      bytes += last.body.length;
      yield last.body;
    }
  }
  await files.put(key, pieces());
  const end = readJson(FileEnd, "G", last);
  if (end.bytes !== bytes || end.sha256 !== hash.digest("hex")) throw damaged("arquivo anexo");
}

async function compareCounts(tx: Db, counts: ReadonlyMap<string, number>): Promise<void> {
  for (const [name, expected] of counts) {
    const { rows } = await sql<{ n: number }>`select count(*) as n from ${sql.table(name)}`.execute(tx);
    if (rows[0]?.n !== expected) throw damaged(`tabela ${name}: ${rows[0]?.n} de ${expected} linhas`);
  }
  if (!counts.has(MIGRATIONS_TABLE)) throw damaged(`tabela ${MIGRATIONS_TABLE}`);
}
