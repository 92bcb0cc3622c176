import { createHash, type Hash } from "node:crypto";
import type { Readable } from "node:stream";
import { sql } from "kysely";
import { AppError } from "../../domain/errors.ts";
import { StartError } from "../base/start-error.ts";
import type { Database, Db, Session } from "../db/client.ts";
import { listMigrations } from "../db/migrate.ts";
import { createSecrets, refuseOtherKey } from "../db/secrets.ts";
import { type ByteStore, fileReads } from "../files/service.ts";
import { copyText, fixTextForm, MIGRATIONS_TABLE, readSequences, readTables, type Table } from "./catalog.ts";
import { type FrameKind, frame } from "./frames.ts";
import type { Header } from "./header.ts";

const FRAME_BYTES = 128 * 1024;

export type Written = {
  madeAt: string;
  tables: number;
  rows: number;
  foreign: string[];
  /** Attachments whose bytes were deleted since, or are lost. */
  missing: number;
};

/** One snapshot, streamed while the product runs. `stop` closes it even if `consume` hangs on a disk. */
export async function writeBackup(
  database: Database,
  about: Pick<Header, "product" | "secretKey"> & { files: Pick<ByteStore, "open"> },
  consume: (content: AsyncIterable<Buffer>) => Promise<unknown>,
  stop?: AbortSignal,
): Promise<Written> {
  return database.session(async (session) => {
    const { db } = session;
    // Not transaction(): aborted during a COPY, its rollback would wait forever. An error closes the
    // connection and so the transaction.
    await sql`begin isolation level repeatable read, read only`.execute(db);
    await fixTextForm(db);
    const { files, product, secretKey } = about;
    const header: Header = { format: 1, product, secretKey, ...(await readVersion(db)) };
    // A copy with the wrong key would be noticed only when needed.
    await refuseOtherKey(db, createSecrets(secretKey));
    const { tables, foreign } = await readTables(db);
    const written = { madeAt: header.madeAt, tables: tables.length, rows: 0, foreign, missing: 0 };
    const consumed = consume(contentOf(db, session, { header, tables, written, files }));
    await (stop ? Promise.race([consumed, afterStop(stop)]) : consumed);
    await sql`commit`.execute(db);
    return written;
  });
}

const GRACE_MS = 5_000;

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
  return { madeAt: rows[0].now.toISOString(), migrations: await listMigrations(tx) };
}

type Parts = { header: Header; tables: readonly Table[]; written: Written; files: Pick<ByteStore, "open"> };

async function* contentOf(
  tx: Db,
  session: Pick<Session, "copyOut">,
  { header, tables, written, files }: Parts,
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
    // Emitted again when the connection closes under an aborted copy; without a listener the process would
    // end.
    copied.on("error", () => undefined);
    for await (const bytes of gathered(copied)) {
      hash.update(bytes);
      rows += linesIn(bytes);
      yield part("R", bytes);
    }
    written.rows += rows;
    yield json("E", { rows, sha256: hash.digest("hex") });
  }
  for (const key of await fileReads.readStoredKeys(tx)) {
    const bytes = await openIfThere(files, key);
    if (!bytes) {
      written.missing += 1;
      continue;
    }
    yield json("F", { key });
    const hash = createHash("sha256");
    let size = 0;
    for await (const piece of bytes as AsyncIterable<Buffer>) {
      hash.update(piece);
      size += piece.length;
      yield part("B", piece);
    }
    yield json("G", { bytes: size, sha256: hash.digest("hex") });
  }
  yield json("S", await readSequences(tx));
  yield frame("Z", endOf(tables.length, all));
}

async function openIfThere(files: Pick<ByteStore, "open">, key: string): Promise<Readable | null> {
  try {
    return await files.open(key);
  } catch (error) {
    if (error instanceof AppError && error.code === "attachment_lost") return null;
    throw error;
  }
}

const endOf = (tables: number, all: Hash) =>
  Buffer.from(JSON.stringify({ tables, sha256: all.digest("hex") }));

/** PostgreSQL sends row by row, and a frame per row wastes space. */
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

/** A row with a picture exceeds a frame. */
function* cut(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += 2 * FRAME_BYTES) yield bytes.subarray(at, at + 2 * FRAME_BYTES);
}

const LINE_END = 10;

/** A line end ends a row; text contains `\n` escaped. */
export function linesIn(bytes: Buffer): number {
  let lines = 0;
  for (let at = bytes.indexOf(LINE_END); at >= 0; at = bytes.indexOf(LINE_END, at + 1)) lines++;
  return lines;
}
