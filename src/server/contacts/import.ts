import type { ContactField } from "../../contract/contact-fields.ts";
import type { Clock } from "../../domain/clock.ts";
import { AppError } from "../../domain/errors.ts";
import { refuseFull, requireRoom } from "../db/account-limits.ts";
import { analyze } from "../db/analyze.ts";
import type { Database, Db, Session } from "../db/client.ts";
import type { ErasedSecrets } from "../db/erased-people.ts";
import { holdErasures } from "../db/erased-people.ts";
import { type Owner, ownerOf } from "../db/owner.ts";
import { LISTS, PEOPLE } from "./counts.ts";
import { holdFields } from "./fields-repo.ts";
import { ImportCopy } from "./import-copy.ts";
import { markFilling } from "./import-leases.ts";
import { type Merged, makeIncoming, mergeIncoming, namePeople } from "./import-merge.ts";
import { mappedForm } from "./import-plan.ts";
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
import { appendPlaces } from "./lists-repo.ts";
import { countAdded } from "./person-repo.ts";
import { deleteList, insertList, setListCount } from "./repo.ts";
import { lockLists, lockSelections } from "./selection-repo.ts";
import type { Spool } from "./spool.ts";

export type ImportDeps = {
  database: Database;
  spool: Spool;
  clock: Pick<Clock, "monotonic">;
  worker: string;
  leaseS: number;
  secrets: ErasedSecrets;
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
const ANALYZE_FROM = 1_000;

/**
 * Reads a file into a new list, in one transaction; without a usable row there is none. Throws the file's
 * errors as AppError, ImportGivenUp, or the database's. Returns how many contacts.
 */
export async function runImport(deps: ImportDeps, claim: Claim, hooks: ImportHooks): Promise<number> {
  const { database, spool } = deps;
  if (!spool.exists(claim.spool)) throw new AppError("import_interrupted");
  return database.session((session) =>
    session.db.transaction().execute(async (tx) => {
      await markFilling(tx, claim.id);
      const fields = () => holdFields(ownerOf(tx, claim.account_id));
      const source = await sourceOf(spool.path(claim.spool), claim, fields);
      return fill({ deps, claim, hooks, session, source }, tx);
    }),
  );
}

/** Separate from `runImport`: the list is visible by then, so an error here must not fail the import. */
export async function analyzeAfter(imported: number, database: Database): Promise<void> {
  if (imported >= ANALYZE_FROM) await analyze(database, "person, membership");
}

async function sourceOf(
  file: string,
  claim: Claim,
  fields: () => Promise<ContactField[]>,
): Promise<RowSource> {
  if (claim.format === "json") return jsonRows(file);
  const { plan, encoding } = claim;
  if (plan === null) return csvRows(file, await inspectFile(file, encoding ?? undefined));
  return csvRows(file, await mappedForm(file, encoding ?? "utf-8", plan, await fields()));
}

type Filling = { deps: ImportDeps; claim: Claim; hooks: ImportHooks; session: Session; source: RowSource };

async function fill(filling: Filling, tx: Db): Promise<number> {
  const { deps, claim, session } = filling;
  const owner = ownerOf(tx, claim.account_id);
  const known = claim.plan?.known ?? "update";
  const of = { importId: claim.id, known, secrets: deps.secrets };
  await holdErasures(tx, claim.account_id, "write");
  await holdLists(owner, claim.plan?.listIds ?? []);
  const listId = await insertList(owner, claim.list_name);
  await makeIncoming(tx);
  const copy = new ImportCopy({
    session,
    importId: claim.id,
    merge: (rows) => mergeIncoming(owner, { ...of, listId, rows }),
    namePeople: (names) => namePeople(owner, names, of),
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
  const { erased } = copy.merged;
  at = { ...at, imported: at.imported - erased };
  const kept = await endLists(owner, claim, { listId, imported: at.imported, merged: copy.merged });
  if (!(await completeImport(tx, deps.worker, claim.id, { listId: kept, at, leftOut, erased })))
    throw new ImportGivenUp();
  return at.imported;
}

type Filled = { listId: number; imported: number; merged: Merged };

/** The people's own list, unless none was asked for, and the others that they join. Null: without people. */
async function endLists(
  owner: Owner,
  { plan }: Claim,
  { listId, imported, merged }: Filled,
): Promise<number | null> {
  if (imported > 0) {
    await keepCounts(owner, listId, merged);
    for (const other of plan?.listIds ?? []) await appendPlaces(owner, listId, other);
  }
  const isKept = imported > 0 && plan?.ownList !== false;
  if (!isKept) await deleteList(owner, listId);
  if (imported === 0) return null;
  // Without a list of its own it was a place too many.
  await requireRoom(owner, LISTS, 0);
  await requireRoom(owner, PEOPLE, 0);
  return isKept ? listId : (plan?.listIds[0] ?? null);
}

/** From the start on: later their locks and those of people would cross. */
async function holdLists(owner: Owner, listIds: readonly number[]): Promise<void> {
  if (listIds.length === 0) return;
  await lockSelections(owner);
  if ((await lockLists(owner, listIds)).length < listIds.length) throw new AppError("import_list_gone");
}

async function keepCounts(owner: Owner, listId: number, { added, placed }: Merged): Promise<void> {
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
