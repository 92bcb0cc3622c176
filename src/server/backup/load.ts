import { createHash, type Hash } from "node:crypto";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { sql } from "kysely";
import type { Logger } from "pino";
import { StartError } from "../base/start-error.ts";
import type { Database, Db, Session } from "../db/client.ts";
import { sqlState } from "../db/errors.ts";
import { applyMigrations, lockMigrations, type Migration, readMigrations } from "../db/migrate.ts";
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
import { End, Header, readJson, Sequences, TableBegin, TableEnd } from "./header.ts";
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
};

export type Loaded = { tables: number; rows: number };

/** One transaction: on any error the database stays empty. */
export async function loadCopy(database: Database, copy: Copy, loading: Loading): Promise<Loaded> {
  const loaded = await database.session((session) =>
    lockMigrations(session.db, () =>
      session.db.transaction().execute(async (tx) => {
        await fixTextForm(tx);
        await refuseFilled(tx, loading.where);
        await applyMigrations(tx, copy.migrations);
        const counts = await loadTables(tx, session, copy).catch(nameDamage);
        await compareCounts(tx, counts);
        const known = new Set(copy.migrations.map(({ name }) => name));
        await applyMigrations(
          tx,
          readMigrations().filter(({ name }) => !known.has(name)),
        );
        await loading.finish(tx);
        return { tables: counts.size, rows: [...counts.values()].reduce((sum, rows) => sum + rows, 0) };
      }),
    ),
  );
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

async function loadTables(
  tx: Db,
  session: Pick<Session, "copyIn">,
  { frames, sum: all }: Copy,
): Promise<Map<string, number>> {
  const { tables } = await readTables(tx);
  const expected = new Map(tables.map((table) => [table.name, table]));
  // Rows that migrations insert are in the copy too.
  await sql`truncate ${sql.join(tables.map(({ name }) => sql.table(name)))}`.execute(tx);
  const next = async () => (await frames.next()).value as Frame | undefined;
  const counts = new Map<string, number>();
  let found = await next();
  for (; found?.kind === "T"; found = await next()) {
    all.update(found.body);
    const begin = readJson(TableBegin, "T", found);
    const table = expected.get(begin.name);
    if (!table || counts.has(begin.name) || !sameColumns(table, begin)) throw damaged(`tabela ${begin.name}`);
    const rows = await loadTable(session, begin, async () => {
      const part = await next();
      if (part) all.update(part.body);
      return part;
    });
    counts.set(begin.name, rows);
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

async function compareCounts(tx: Db, counts: ReadonlyMap<string, number>): Promise<void> {
  for (const [name, expected] of counts) {
    const { rows } = await sql<{ n: number }>`select count(*) as n from ${sql.table(name)}`.execute(tx);
    if (rows[0]?.n !== expected) throw damaged(`tabela ${name}: ${rows[0]?.n} de ${expected} linhas`);
  }
  if (!counts.has(MIGRATIONS_TABLE)) throw damaged(`tabela ${MIGRATIONS_TABLE}`);
}
