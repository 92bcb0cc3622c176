import { sql } from "kysely";
import type { Logger } from "pino";
import type { Clock } from "../../domain/clock.ts";
import { AppError } from "../../domain/errors.ts";
import type { Database, Session } from "../db/client.ts";
import { type Owner, ownerOf } from "../db/owner.ts";
import type { FileService } from "../files/service.ts";
import type { Downloads } from "../jobs/downloads.ts";
import type { FairQueue, FairQueues } from "../jobs/fair-queue.ts";
import { ExportFile, openExportFolder } from "./export-file.ts";
import { EXPORT_PARTS, type ExportPart } from "./export-parts.ts";

const AT_ONCE = 2;
/** A snapshot keeps the whole database from vacuuming old rows. */
const SNAPSHOT_MS = 60_000;
/** Then the next piece gets a new snapshot and other accounts their turn. */
const TURN_MS = 20_000;

export type ExportDeps = {
  database: Database;
  clock: Pick<Clock, "now" | "monotonic">;
  log: Logger;
  queues: FairQueues;
  downloads: Downloads;
  dataFolder: string;
  filesOf: FileService["filesOf"];
  turnMs?: number;
};

type Cursor = { part: number; after: string | null };

/**
 * Writes JSON Lines to a file at database speed and streams from it. The last line confirms completeness; a
 * copy of several snapshots says so.
 */
export function accountExporter(deps: ExportDeps): (owner: Owner) => Promise<Response> {
  const { clock, log, downloads } = deps;
  const folder = openExportFolder(deps.dataFolder);
  const queue = deps.queues.open({
    name: "account_exports",
    running: AT_ONCE,
    runningOfAccount: 1,
    waitingOfAccount: 1,
  });
  const running = new Set<string>();

  return async ({ accountId }) => {
    if (running.has(accountId)) throw new AppError("export_running");
    running.add(accountId);
    const file = await ExportFile.create(folder).catch((error: unknown) => {
      running.delete(accountId);
      throw error;
    });
    const left = new AbortController();
    const copying = new AccountCopy(deps, queue, { accountId, file, left: left.signal })
      .run()
      .catch((error: unknown) => {
        // Otherwise a truncated file would look complete.
        file.fail(error);
        log.info({ err: error, accountId }, "export not finished");
      });
    const end = async () => {
      left.abort(new Error("the export is not read any more"));
      await copying;
      await file.close();
      running.delete(accountId);
    };
    const onOver = () =>
      void end().catch((error: unknown) => log.warn({ err: error }, "file of an export left behind"));
    const name = `recado_${clock.now().toISOString().slice(0, 19).replaceAll(/[-:]/g, "").replace("T", "-")}.jsonl`;
    const headers = {
      "content-type": "application/x-ndjson; charset=utf-8",
      "content-disposition": `attachment; filename="${name}"`,
      "cache-control": "no-store",
    };
    try {
      return downloads.send(accountId, file.read(), headers, onOver);
    } catch (error) {
      onOver();
      throw error;
    }
  };
}

class AccountCopy {
  readonly #deps: ExportDeps;
  readonly #queue: FairQueue;
  readonly #accountId: string;
  readonly #file: ExportFile;
  readonly #left: AbortSignal;
  #turns = 0;
  #ids: string[] | null = null;

  constructor(
    deps: ExportDeps,
    queue: FairQueue,
    { accountId, file, left }: { accountId: string; file: ExportFile; left: AbortSignal },
  ) {
    this.#deps = deps;
    this.#queue = queue;
    this.#accountId = accountId;
    this.#file = file;
    this.#left = left;
  }

  async run(): Promise<void> {
    const { database } = this.#deps;
    let cursor: Cursor | null = { part: 0, after: null };
    while (cursor) {
      const from: Cursor = cursor;
      const turn = () => database.session((session) => this.#turn(session, from));
      cursor = await this.#queue.run(this.#accountId, turn, this.#left);
    }
    await this.#sayFiles();
    await this.#say({ type: "end" });
    await this.#file.finish();
  }

  async #turn(session: Session, from: Cursor): Promise<Cursor | null> {
    const { clock, turnMs = TURN_MS } = this.#deps;
    const begun = clock.monotonic();
    const at = clock.now().toISOString();
    await sql`begin isolation level repeatable read, read only`.execute(session.db);
    // Rows of a closed account are being deleted: the rest would look complete.
    const { rows: living } = await sql`
      select from account where id = ${this.#accountId} and removed_at is null`.execute(session.db);
    if (living.length === 0) throw new Error("the account was deleted");
    await this.#say(this.#turns++ === 0 ? { type: "export", version: 1, at } : { type: "moment", at });
    const copy = (part: ExportPart, of: string | null) =>
      this.#copy(session, copyOf(part, this.#accountId, of), SNAPSHOT_MS - (clock.monotonic() - begun));
    let next: Cursor | null = from;
    this.#ids = null;
    do {
      next = await this.#piece(session, next, copy);
    } while (next && clock.monotonic() - begun < turnMs);
    await sql`commit`.execute(session.db);
    return next;
  }

  async #piece(
    { db }: Session,
    { part: number, after }: Cursor,
    copy: (part: ExportPart, of: string | null) => Promise<void>,
  ): Promise<Cursor | null> {
    const part = EXPORT_PARTS[number];
    if (!part) return null;
    if (!part.by) {
      await copy(part, null);
      return { part: number + 1, after: null };
    }
    this.#ids ??= await this.#idsOf(db, part.by, after);
    const next = this.#ids.shift();
    if (next === undefined) {
      this.#ids = null;
      return { part: number + 1, after: null };
    }
    await copy(part, next);
    return { part: number, after: next };
  }

  /** Ordered single picks could scan the ids of all accounts. */
  async #idsOf(db: Session["db"], table: string, after: string | null): Promise<string[]> {
    const { rows } = await sql<{ ids: string[] | null }>`select array_agg(id::text order by id) as ids
      from ${sql.table(table)} where account_id = ${this.#accountId}::uuid and id > ${after ?? "0"}::bigint`.execute(
      db,
    );
    return rows[0]?.ids ?? [];
  }

  async #copy(session: Session, text: string, leftMs: number): Promise<void> {
    const limit = String(Math.max(1, Math.ceil(leftMs)));
    await sql`select set_config('statement_timeout', ${limit}, true)`.execute(session.db);
    const rows = session.copyOut(text);
    // An abandoned export's closed connection emits a second error, otherwise uncaught.
    rows.on("error", () => undefined);
    for await (const piece of rows) {
      this.#left.throwIfAborted();
      await this.#file.append(piece as Uint8Array);
    }
  }

  /** Bytes lie outside the snapshots; a file deleted since then is named without them. */
  async #sayFiles(): Promise<void> {
    const owner = ownerOf(this.#deps.database.db, this.#accountId);
    for await (const { id, pieces } of this.#deps.filesOf(owner)) {
      this.#left.throwIfAborted();
      let offset = 0;
      for await (const piece of pieces) {
        await this.#say({ type: "attachment_bytes", id, offset, base64: piece.toString("base64") });
        offset += piece.byteLength;
      }
    }
  }

  #say(line: object): Promise<void> {
    return this.#file.append(Buffer.from(`${JSON.stringify(line)}\n`));
  }
}

function copyOf({ type, columns, from, where }: ExportPart, accountId: string, of: string | null): string {
  const account = `'${accountId}'::uuid`;
  return `copy (
    select row_to_json(one) from (
      select '${type}' as type, ${columns} from ${from}
      where ${where.replaceAll("$account", account).replaceAll("$of", `${of}::bigint`)}) one
  ) to stdout with (format csv, quote e'\\x01', delimiter e'\\x02')`;
}
