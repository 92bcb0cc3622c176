import type { Clock } from "../../domain/clock.ts";
import { AppError } from "../../domain/errors.ts";
import { refuseFull, requireRoom } from "../db/account-limits.ts";
import { analyze } from "../db/analyze.ts";
import type { Database, Db, Session } from "../db/client.ts";
import { type Owner, ownerOf } from "../db/owner.ts";
import { LISTS, PEOPLE } from "./counts.ts";
import { ImportCopy } from "./import-copy.ts";
import { markFilling } from "./import-leases.ts";
import { type Merged, makeIncoming, mergeIncoming, namePeople } from "./import-merge.ts";
import { RowSorter } from "./import-sort.ts";
import {
  csvRows,
  inspectFile,
  jsonRows,
  type LeftOut,
  nothingLeftOut,
  type OnRow,
  type RowSource,
} from "./import-source.ts";
import { type Claim, completeImport, type Progress, storeImport } from "./imports-repo.ts";
import { countAdded } from "./person-repo.ts";
import { deleteList, insertList, setListCount } from "./repo.ts";
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
  /** Stops it between two pieces; nothing is kept. */
  signal: AbortSignal;
  /** Called about twice a second. */
  onProgress(): void;
};

/** Another worker took this import over, or the process stops. Its transaction is rolled back. */
export class ImportGivenUp extends Error {}

const PROGRESS_MS = 500;
/** Fewer new contacts wait for autovacuum's next ANALYZE. */
const ANALYZE_FROM = 5_000;

/**
 * Reads a file into a new list, in one transaction; without a usable row there is no list. Throws the file's
 * errors as AppError, ImportGivenUp, or the database's errors. Returns the number of contacts.
 */
export async function runImport(deps: ImportDeps, claim: Claim, hooks: ImportHooks): Promise<number> {
  const { database, spool } = deps;
  if (!spool.exists(claim.spool)) throw new AppError("import_interrupted");
  const source = await sourceOf(spool.path(claim.spool), claim);
  return database.session((session) =>
    session.db.transaction().execute((tx) => fill({ deps, claim, hooks, session, source }, tx)),
  );
}

/** Separate from `runImport`: the list is visible by then, so an error here must not fail the import. */
export async function analyzeAfter(imported: number, database: Database): Promise<void> {
  if (imported >= ANALYZE_FROM) await analyze(database, "person, membership");
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
  await makeIncoming(tx);
  const copy = new ImportCopy({
    session,
    importId: claim.id,
    merge: (rows) => mergeIncoming(owner, { importId: claim.id, listId, rows }),
    namePeople: (names) => namePeople(owner, names),
  });
  const leftOut = nothingLeftOut();
  let at: Progress;
  try {
    at = await pour(filling, copy, leftOut);
  } catch (error) {
    await copy.abort();
    throw error;
  }
  if (at.rowsRead === 0) throw new AppError("import_empty");
  if (at.imported === 0) await deleteList(owner, listId);
  else await keepCounts(owner, listId, copy.merged);
  const kept = at.imported === 0 ? null : listId;
  if (!(await completeImport(tx, deps.worker, claim.id, { listId: kept, at, leftOut })))
    throw new ImportGivenUp();
  return at.imported;
}

/** The list itself is counted already, its people are not. */
async function keepCounts(owner: Owner, listId: number, { added, placed }: Merged): Promise<void> {
  await requireRoom(owner, LISTS, 0);
  await requireRoom(owner, PEOPLE, placed);
  await setListCount(owner, listId, placed);
  await countAdded(owner, added);
}

async function pour(
  { deps, claim, hooks, source }: Filling,
  copy: ImportCopy,
  leftOut: LeftOut,
): Promise<Progress> {
  const { database, worker, leaseS, clock } = deps;
  const sorter = new RowSorter(copy, deps.maxRows);
  const onRow: OnRow = (...row) => sorter.row(...row);
  let bytesRead = 0;
  let reportedAt = clock.monotonic();
  for await (bytesRead of source(onRow, leftOut)) {
    await copy.flush();
    if (hooks.signal.aborted) throw new ImportGivenUp();
    if (clock.monotonic() - reportedAt < PROGRESS_MS) continue;
    reportedAt = clock.monotonic();
    // Stops reading a file that is far beyond the limit.
    await refuseFull(ownerOf(database.db, claim.account_id), PEOPLE, sorter.counts.imported);
    const at = { ...sorter.counts, bytesRead };
    // Outside the transaction: the page sees it, and a worker that lost the import learns it here.
    if (!(await storeImport(database.db, worker, claim.id, at, leaseS))) throw new ImportGivenUp();
    hooks.onProgress();
  }
  await copy.end();
  return { ...sorter.counts, bytesRead };
}
