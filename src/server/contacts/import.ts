import type { Clock } from "../../domain/clock.ts";
import { AppError } from "../../domain/errors.ts";
import { refuseFull, requireRoom } from "../db/account-limits.ts";
import { analyze } from "../db/analyze.ts";
import type { Database, Db, Session } from "../db/client.ts";
import { type Owner, ownerOf } from "../db/owner.ts";
import { type ImportCopy, importCopy } from "./import-copy.ts";
import { markFilling } from "./import-leases.ts";
import { rowSorter } from "./import-sort.ts";
import {
  csvRows,
  inspectFile,
  jsonRows,
  type LeftOut,
  nothingLeftOut,
  type RowSource,
} from "./import-source.ts";
import { type Claim, completeImport, keepImport, type Progress } from "./imports-repo.ts";
import { deleteList, insertList, nameContacts, setListCount } from "./repo.ts";
import type { Spool } from "./spool.ts";

export type ImportDeps = {
  database: Database;
  spool: Spool;
  clock: Pick<Clock, "monotonic">;
  worker: string;
  leaseS: number;
  maxRows?: number;
};

export type ImportHooks = {
  /** Between two pieces. */
  signal: AbortSignal;
  /** About twice a second. */
  onProgress(): void;
};

/** Another worker has it, or we stop. */
export class ImportGivenUp extends Error {}

const PROGRESS_MS = 500;
const ANALYZE_FROM = 5_000;

/**
 * One transaction; no usable row, no list. Throws AppError for the file, ImportGivenUp, or database errors.
 */
export async function runImport(deps: ImportDeps, claim: Claim, hooks: ImportHooks): Promise<number> {
  const { database, spool } = deps;
  if (!spool.exists(claim.spool)) throw new AppError("import_interrupted");
  const source = await sourceOf(spool.path(claim.spool), claim);
  return database.session((session) =>
    session.db.transaction().execute((tx) => fill({ deps, claim, hooks, session, source }, tx)),
  );
}

/** After commit: its error must not look like the import's. */
export async function analyzeAfter(imported: number, database: Database): Promise<void> {
  if (imported >= ANALYZE_FROM) await analyze(database, "contact");
}

async function sourceOf(file: string, claim: Claim): Promise<RowSource> {
  if (claim.format === "json") return jsonRows(file);
  return csvRows(file, await inspectFile(file, claim.encoding ?? undefined));
}

type Filling = { deps: ImportDeps; claim: Claim; hooks: ImportHooks; session: Session; source: RowSource };

async function fill(filling: Filling, tx: Db): Promise<number> {
  const { deps, claim, session } = filling;
  const owner = ownerOf(tx, claim.account_id);
  await markFilling(tx, claim.id);
  const listId = await insertList(owner, claim.list_name);
  const copy = importCopy(session, claim.id, listId, (names) => nameContacts(owner, listId, names));
  const leftOut = nothingLeftOut();
  let at: Progress;
  try {
    at = await pour(filling, copy, leftOut);
  } catch (error) {
    copy.abort();
    throw error;
  }
  if (at.rowsRead === 0) throw new AppError("import_empty");
  if (at.imported > 0) await requireRoomForList(owner, at.imported);
  if (at.imported === 0) await deleteList(owner, listId);
  else await setListCount(owner, listId, at.imported);
  const kept = at.imported === 0 ? null : listId;
  if (!(await completeImport(tx, deps.worker, claim.id, { listId: kept, at, leftOut })))
    throw new ImportGivenUp();
  return at.imported;
}

/** All people or none; the list counts already. */
async function requireRoomForList(owner: Owner, people: number): Promise<void> {
  await requireRoom(owner, "lists", 0);
  await requireRoom(owner, "people", people);
}

async function pour(
  { deps, claim, hooks, source }: Filling,
  copy: ImportCopy,
  leftOut: LeftOut,
): Promise<Progress> {
  const { database, worker, leaseS, clock } = deps;
  const sorter = rowSorter(copy, { maxRows: deps.maxRows, bytes: claim.bytes_total });
  let bytesRead = 0;
  let progressAt = clock.monotonic();
  for await (bytesRead of source(sorter.row, leftOut)) {
    await copy.flush();
    if (hooks.signal.aborted) throw new ImportGivenUp();
    if (clock.monotonic() - progressAt < PROGRESS_MS) continue;
    progressAt = clock.monotonic();
    // Stop reading early.
    await refuseFull(ownerOf(database.db, claim.account_id), "people", sorter.counts.imported);
    const at = { ...sorter.counts, bytesRead };
    // Outside the transaction: visible, and a lost import is noticed.
    if (!(await keepImport(database.db, worker, claim.id, at, leaseS))) throw new ImportGivenUp();
    hooks.onProgress();
  }
  await copy.end();
  return { ...sorter.counts, bytesRead };
}
