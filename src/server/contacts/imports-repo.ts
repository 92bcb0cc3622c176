import { sql } from "kysely";
import type { ImportEncoding, ImportState } from "../../contract/contacts.ts";
import type { ImportBasis } from "../../contract/import-drafts.ts";
import type { Db } from "../db/client.ts";
import type { Owner } from "../db/owner.ts";
import { isSuspended } from "../db/suspended.ts";
import type { ImportPlan } from "./import-plan.ts";
import type { LeftOut } from "./import-source.ts";

export type ImportRow = {
  id: number;
  list_id: number | null;
  list_name: string;
  file_name: string | null;
  state: ImportState;
  encoding: ImportEncoding | null;
  separator: string | null;
  header: boolean | null;
  fault: string | null;
  fault_details: Record<string, unknown> | null;
  bytes_total: number | null;
  bytes_read: number;
  rows_read: number;
  imported: number;
  repeated: number;
  refused: number;
  ninth_added: number;
  erased: number;
  left_out: LeftOut | null;
  created_at: Date;
  finished_at: Date | null;
  same_file: string | null;
  same_name: boolean;
};

const COLUMNS = sql`i.id, i.list_id, i.list_name, i.file_name, i.state, i.encoding, i.separator, i.header, i.fault, i.fault_details,
  i.bytes_total, i.bytes_read, i.rows_read, i.imported, i.repeated, i.refused, i.ninth_added, i.erased, i.left_out, i.created_at, i.finished_at,
  (select e.list_name from contact_import e
   where e.account_id = i.account_id and e.sha256 = i.sha256 and e.state = 'done' and e.id < i.id
   order by e.id desc limit 1) as same_file,
  exists (select from contact_list l where l.account_id = i.account_id and l.name = i.list_name
          and l.id is distinct from i.list_id and l.created_at < coalesce(i.finished_at, 'infinity')) as same_name`;

export type NewImport = {
  listName: string;
  fileName: string | null;
  format: "csv" | "json";
  form: { encoding: string; separator: string; header: boolean } | null;
  plan?: ImportPlan;
  basis?: { basis: ImportBasis | null; note: string | null };
  sha256: Buffer;
  spool: string;
  spoolFolder: string;
  bytes: number;
};

export async function insertImport(owner: Owner, it: NewImport): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    insert into contact_import (account_id, list_name, file_name, state, format, encoding, separator, header, sha256,
      spool, spool_folder, bytes_total, plan, basis, basis_note)
    values (${owner.accountId}::uuid, ${it.listName}, ${it.fileName}, 'waiting', ${it.format}, ${it.form?.encoding ?? null},
      ${it.form?.separator ?? null}, ${it.form?.header ?? null}, ${it.sha256}, ${it.spool}::uuid, ${it.spoolFolder}::uuid,
      ${it.bytes}, ${it.plan ? JSON.stringify(it.plan) : null}::jsonb, ${it.basis?.basis ?? null}, ${it.basis?.note ?? null})
    returning id`.execute(owner.db);
  return rows[0]?.id ?? 0;
}

export async function findImport(owner: Owner, importId: number): Promise<ImportRow | undefined> {
  const { rows } = await sql<ImportRow>`
    select ${COLUMNS} from contact_import i where i.account_id = ${owner.accountId}::uuid and i.id = ${importId}`.execute(
    owner.db,
  );
  return rows[0];
}

export async function findImports(owner: Owner, limit: number): Promise<ImportRow[]> {
  const { rows } = await sql<ImportRow>`
    select ${COLUMNS} from contact_import i where i.account_id = ${owner.accountId}::uuid
    order by i.id desc limit ${limit}`.execute(owner.db);
  return rows;
}

export type NotedRow = { row_number: number; name: string; value: string; reason: string };

export async function findNotedRows(
  owner: Owner,
  importId: number,
  kind: "refused" | "ninth_added",
  page: { after: number; limit: number },
): Promise<NotedRow[]> {
  const { rows } = await sql<NotedRow>`
    select r.row_number, r.name, r.value, r.reason from contact_import_row r
    join contact_import i on i.id = r.import_id and i.account_id = ${owner.accountId}::uuid
    where r.import_id = ${importId} and r.kind = ${kind} and r.row_number > ${page.after}
    order by r.row_number limit ${page.limit}`.execute(owner.db);
  return rows;
}

export type Claim = {
  id: number;
  account_id: string;
  list_name: string;
  format: "csv" | "json";
  encoding: ImportEncoding | null;
  spool: string;
  tries: number;
  bytes_total: number;
  /** Null: by the file's own header. */
  plan: ImportPlan | null;
};

/** Bytes, inclusive. */
export type ImportSize = { from: number; to: number };

/** Waiting, or left by dead workers. */
const claimable = (folder: string, { from, to }: ImportSize) => sql`i.spool_folder = ${folder}::uuid
  and not ${isSuspended(sql.ref("i.account_id"))} and coalesce(i.bytes_total, 0) between ${from} and ${to}
  and (i.state = 'running' and i.lease_until < now()
    or i.state = 'waiting' and not exists (
      select from contact_import r where r.account_id = i.account_id and r.state = 'running'))`;

/** Longest waiting first. */
export async function findAccountsToImport(db: Db, folder: string, size: ImportSize): Promise<string[]> {
  const { rows } = await sql<{ account_id: string }>`
    select i.account_id from contact_import i where ${claimable(folder, size)}
    group by i.account_id order by min(i.id)`.execute(db);
  return rows.map(({ account_id }) => account_id);
}

/** A unique index refuses a second running one. */
export async function claimImport(
  db: Db,
  { worker, folder, leaseS }: { worker: string; folder: string; leaseS: number },
  { accountId, size }: { accountId: string; size: ImportSize },
): Promise<Claim | undefined> {
  const { rows } = await sql<Claim>`
    update contact_import set state = 'running', worker = ${worker}::uuid, tries = tries + 1,
      lease_until = now() + make_interval(secs => ${leaseS}),
      bytes_read = 0, rows_read = 0, imported = 0, repeated = 0, refused = 0, ninth_added = 0
    where id = (
      select i.id from contact_import i where i.account_id = ${accountId}::uuid and ${claimable(folder, size)}
      order by i.id limit 1 for update skip locked)
    returning id, account_id, list_name, format, encoding, spool, tries, bytes_total, plan`.execute(db);
  return rows[0];
}

export type Progress = {
  bytesRead: number;
  rowsRead: number;
  imported: number;
  repeated: number;
  refused: number;
  ninthAdded: number;
};

/** False: another worker has it. */
export async function storeImport(
  db: Db,
  worker: string,
  importId: number,
  at: Progress,
  leaseS: number,
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update contact_import set bytes_read = ${at.bytesRead}, rows_read = ${at.rowsRead}, imported = ${at.imported},
      repeated = ${at.repeated}, refused = ${at.refused}, ninth_added = ${at.ninthAdded},
      lease_until = now() + make_interval(secs => ${leaseS})
    where id = ${importId} and worker = ${worker}::uuid and state = 'running'`.execute(db);
  return numAffectedRows === 1n;
}

/** In the contacts' transaction. False: another worker has it. */
export async function completeImport(
  tx: Db,
  worker: string,
  importId: number,
  { listId, at, leftOut, erased }: { listId: number | null; at: Progress; leftOut: LeftOut; erased: number },
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update contact_import set state = 'done', list_id = ${listId}, bytes_read = ${at.bytesRead}, rows_read = ${at.rowsRead},
      imported = ${at.imported}, repeated = ${at.repeated}, refused = ${at.refused}, ninth_added = ${at.ninthAdded},
      left_out = ${JSON.stringify(leftOut)}::jsonb, erased = ${erased},
      finished_at = clock_timestamp(), spool = null, worker = null, lease_until = null
    where id = ${importId} and worker = ${worker}::uuid and state = 'running'`.execute(tx);
  return numAffectedRows === 1n;
}

export async function failImport(
  db: Db,
  worker: string,
  importId: number,
  fault: { code: string; details: Readonly<Record<string, unknown>> },
): Promise<void> {
  await sql`
    update contact_import set state = 'failed', fault = ${fault.code}, fault_details = ${JSON.stringify(fault.details)}::jsonb,
      imported = 0, finished_at = clock_timestamp(), spool = null, worker = null, lease_until = null
    where id = ${importId} and worker = ${worker}::uuid and state = 'running'`.execute(db);
}

export async function releaseImport(db: Db, worker: string, importId: number): Promise<void> {
  await sql`
    update contact_import set state = 'waiting', worker = null, lease_until = null, tries = tries - 1, bytes_read = 0, rows_read = 0,
      imported = 0, repeated = 0, refused = 0, ninth_added = 0
    where id = ${importId} and worker = ${worker}::uuid and state = 'running'`.execute(db);
}

/** Of a process known to be dead. */
export async function freeImports(db: Db, folder: string): Promise<void> {
  await sql`update contact_import set lease_until = '-infinity' where state = 'running' and spool_folder = ${folder}::uuid`.execute(
    db,
  );
}

/** Host gone for a day, with its files. */
export async function failLostImports(db: Db, folder: string): Promise<{ id: number; account_id: string }[]> {
  const { rows } = await sql<{ id: number; account_id: string }>`
    update contact_import set state = 'failed', fault = 'import_interrupted', fault_details = '{}', imported = 0,
      finished_at = now(), spool = null, worker = null, lease_until = null
    where state in ('waiting', 'running') and spool_folder is distinct from ${folder}::uuid
      and coalesce(lease_until, created_at) < now() - interval '1 day'
    returning id, account_id`.execute(db);
  return rows;
}

export async function findSpools(db: Db, folder: string): Promise<string[]> {
  const { rows } = await sql<{ spool: string }>`
    select spool from contact_import where state in ('waiting', 'running') and spool_folder = ${folder}::uuid
    union all select spool from import_draft where spool_folder = ${folder}::uuid`.execute(db);
  return rows.map(({ spool }) => spool);
}
