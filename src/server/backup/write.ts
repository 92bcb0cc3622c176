import { createHash, type Hash } from "node:crypto";
import { sql } from "kysely";
import { StartError } from "../base/start-error.ts";
import type { Database, Db, Session } from "../db/client.ts";
import { createSecrets, refuseOtherKey } from "../db/secrets.ts";
import { copyText, fixTextForm, MIGRATIONS_TABLE, readSequences, readTables, type Table } from "./catalog.ts";
import { type FrameKind, frame } from "./frames.ts";
import type { Header } from "./header.ts";

/** Rows go into one frame up to about this size. */
const FRAME_BYTES = 128 * 1024;

export type Written = {
  madeAt: string;
  tables: number;
  rows: number;
  /** Tables of the same schema that no migration of ours has made: they are not in the copy. */
  foreign: string[];
};

/**
 * Everything of this database, as one snapshot: a transaction that sees what was committed when it began and nothing later, while the
 * product runs on. `consume` gets the bytes and takes its time; no table is ever held in memory. `stop` closes the snapshot, also when
 * `consume`, which should end by it, does not: a disk may answer nothing any more.
 */
export async function writeBackup(
  database: Database,
  about: Pick<Header, "product" | "secretKey">,
  consume: (content: AsyncIterable<Buffer>) => Promise<unknown>,
  stop?: AbortSignal,
): Promise<Written> {
  return database.session(async (session) => {
    const { db } = session;
    // Not by transaction(): given up in the middle of a COPY, its rollback would wait for ever behind what nobody reads any more. A fault
    // closes the connection, and with it the transaction.
    await sql`begin isolation level repeatable read, read only`.execute(db);
    await fixTextForm(db);
    const header: Header = { format: 1, ...about, ...(await readVersion(db)) };
    // A copy whose key opens nothing of it would be found out when it is needed.
    await refuseOtherKey(db, createSecrets(about.secretKey));
    const { tables, foreign } = await readTables(db);
    const written = { madeAt: header.madeAt, tables: tables.length, rows: 0, foreign };
    const consumed = consume(contentOf(db, session, { header, tables, written }));
    await (stop ? Promise.race([consumed, afterStop(stop)]) : consumed);
    await sql`commit`.execute(db);
    return written;
  });
}

const GRACE_MS = 5_000;

/** Rejects with the reason some seconds after the stop. */
function afterStop(stop: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const fail = () => setTimeout(() => reject(stop.reason), GRACE_MS).unref();
    if (stop.aborted) fail();
    else stop.addEventListener("abort", fail, { once: true });
  });
}

async function readVersion(tx: Db): Promise<Pick<Header, "madeAt" | "migrations">> {
  const { rows } = await sql<{ found: boolean; now: Date }>`
    select to_regclass(${MIGRATIONS_TABLE}) is not null as found, now() as now`.execute(tx);
  if (!rows[0]?.found)
    throw new StartError("Não há o que copiar: este banco de dados não tem dados do Recado.");
  const migrations = await sql<{ name: string; sha256: string }>`
    select name, sha256 from schema_migration order by name`.execute(tx);
  return { madeAt: rows[0].now.toISOString(), migrations: migrations.rows };
}

type Parts = { header: Header; tables: readonly Table[]; written: Written };

async function* contentOf(
  tx: Db,
  session: Pick<Session, "copyOut">,
  { header, tables, written }: Parts,
): AsyncGenerator<Buffer> {
  const all = createHash("sha256");
  const part = (kind: FrameKind, body: Buffer) => {
    all.update(body);
    return frame(kind, body);
  };
  const json = (kind: FrameKind, value: unknown) => part(kind, Buffer.from(JSON.stringify(value)));

  yield json("H", header);
  for (const table of tables) {
    yield json("T", table);
    const hash = createHash("sha256");
    let rows = 0;
    const copied = session.copyOut(copyText(table, "to stdout"));
    // Told again when the connection is closed under a copy that was given up, and then nobody else listens.
    copied.on("error", () => undefined);
    for await (const bytes of gathered(copied)) {
      hash.update(bytes);
      rows += linesIn(bytes);
      yield part("R", bytes);
    }
    written.rows += rows;
    yield json("E", { rows, sha256: hash.digest("hex") });
  }
  yield json("S", await readSequences(tx));
  yield frame("Z", endOf(tables.length, all));
}

const endOf = (tables: number, all: Hash) =>
  Buffer.from(JSON.stringify({ tables, sha256: all.digest("hex") }));

/** PostgreSQL sends row by row; a frame for each would be mostly frame. */
async function* gathered(rows: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let held: Buffer[] = [];
  let size = 0;
  for await (const bytes of rows) {
    held.push(bytes);
    size += bytes.length;
    if (size < FRAME_BYTES) continue;
    yield* cut(Buffer.concat(held));
    held = [];
    size = 0;
  }
  if (size > 0) yield* cut(Buffer.concat(held));
}

/** A row with a picture is far larger than a frame. */
function* cut(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += 2 * FRAME_BYTES) yield bytes.subarray(at, at + 2 * FRAME_BYTES);
}

const LINE_END = 10;

/** In this form the end of a line ends a row: those within texts are written `\n`. */
export function linesIn(bytes: Buffer): number {
  let lines = 0;
  for (let at = bytes.indexOf(LINE_END); at >= 0; at = bytes.indexOf(LINE_END, at + 1)) lines++;
  return lines;
}
