import { PassThrough, Readable } from "node:stream";
import { sql } from "kysely";
import type { Logger } from "pino";
import type { Clock } from "../../domain/clock.ts";
import { AppError } from "../../domain/errors.ts";
import type { Database, Session } from "../db/client.ts";
import type { Owner } from "../db/owner.ts";
import { EXPORT_PARTS, type ExportPart } from "./export-parts.ts";

/** Each holds a connection of the pool for as long as its reader takes. */
const AT_ONCE = 3;
/** Whoever takes nothing for so long is gone, and must not hold a connection and old rows. */
const STALL_MS = 60_000;

export type ExportDeps = {
  database: Database;
  clock: Pick<Clock, "now">;
  log: Logger;
  stallMs?: number;
};

/**
 * Answers everything of an account as JSON Lines, as it was at one moment: the database writes the lines, and they pass through here in
 * pieces, so that a million rows take no more memory than one. The last line says that nothing is missing.
 */
export function accountExporter(deps: ExportDeps): (owner: Owner) => Response {
  const { database, clock, log, stallMs = STALL_MS } = deps;
  const running = new Set<string>();

  return ({ accountId }) => {
    if (running.has(accountId)) throw new AppError("export_running");
    if (running.size >= AT_ONCE) throw new AppError("too_many_requests", { retryAfter: 30 });
    running.add(accountId);
    const now = clock.now();
    const lines = new PassThrough({ highWaterMark: 256 * 1024 });
    const stalled = stopWhenStalled(lines, stallMs);
    database
      .session((session) => write(session, accountId, lines, now))
      .catch((error: unknown) => {
        // A cut download, which the browser reports, not a short file that looks whole.
        lines.destroy(error instanceof Error ? error : new Error("export failed"));
        log.info({ err: error, accountId }, "export not finished");
      })
      .finally(() => {
        stalled();
        running.delete(accountId);
      });
    const name = `recado_${now.toISOString().slice(0, 19).replaceAll(/[-:]/g, "").replace("T", "-")}.jsonl`;
    return new Response(Readable.toWeb(lines) as ReadableStream<Uint8Array>, {
      headers: {
        "content-type": "application/x-ndjson; charset=utf-8",
        "content-disposition": `attachment; filename="${name}"`,
        "cache-control": "no-store",
      },
    });
  };
}

async function write(session: Session, accountId: string, lines: PassThrough, now: Date): Promise<void> {
  const say = (line: object) => lines.write(`${JSON.stringify(line)}\n`);
  say({ type: "export", version: 1, at: now.toISOString() });
  await sql`begin isolation level repeatable read, read only`.execute(session.db);
  // Closed since it was asked for, its rows are being taken away: what is left would look whole.
  const { rows: living } = await sql`
    select from account where id = ${accountId} and removed_at is null`.execute(session.db);
  if (living.length === 0) throw new Error("the account was deleted");
  for (const part of EXPORT_PARTS) {
    const rows = session.copyOut(copyOf(part, accountId));
    // Told again when the connection is closed under an export that was given up, and then nobody else listens.
    rows.on("error", () => undefined);
    for await (const piece of rows) if (!lines.write(piece)) await drained(lines);
  }
  await sql`commit`.execute(session.db);
  say({ type: "end" });
  lines.end();
}

/** Resolves when the reader has caught up; rejects when nobody reads any more. */
function drained(lines: PassThrough): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = () => {
      lines.off("drain", settle).off("close", settle);
      if (lines.destroyed) reject(new Error("nobody reads the export"));
      else resolve();
    };
    lines.on("drain", settle).on("close", settle);
    if (lines.destroyed) settle();
  });
}

/**
 * CSV whose quote and delimiter are bytes that JSON never holds as they are: nothing is quoted, and each line is the JSON itself. The text
 * format would double its backslashes.
 */
function copyOf({ type, columns, from, where }: ExportPart, accountId: string): string {
  const account = `'${accountId}'::uuid`;
  return `copy (
    select row_to_json(one) from (
      select '${type}' as type, ${columns} from ${from} where ${where.replaceAll("$account", account)}) one
  ) to stdout with (format csv, quote e'\\x01', delimiter e'\\x02')`;
}

/** Ends a stream out of which nothing was taken for a while; answers how to stop watching. */
function stopWhenStalled(lines: PassThrough, stallMs: number): () => void {
  let left = -1;
  const timer = setInterval(() => {
    const waiting = lines.readableLength;
    if (waiting > 0 && waiting === left) lines.destroy(new Error("nobody reads the export"));
    left = waiting;
  }, stallMs);
  timer.unref();
  return () => clearInterval(timer);
}
