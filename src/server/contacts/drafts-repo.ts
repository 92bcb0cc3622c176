import { sql } from "kysely";
import type { ImportEncoding } from "../../contract/contacts.ts";
import type { ImportDraft } from "../../contract/import-drafts.ts";
import type { Db } from "../db/client.ts";
import type { Owner } from "../db/owner.ts";

export type DraftRow = {
  id: number;
  file_name: string | null;
  format: ImportDraft["format"];
  encoding: ImportEncoding;
  sha256: Buffer;
  spool: string;
  spool_folder: string;
  bytes: number;
};

const COLUMNS = sql.raw(
  "id, file_name, format, encoding, sha256, spool, spool_folder, bytes::float8 as bytes",
);

/** Beyond these, the oldest go. */
const MOST = 5;
/** Answers the id, and the files of those that went. */
export async function insertDraft(
  owner: Owner,
  it: Omit<DraftRow, "id">,
): Promise<{ id: number; gone: string[] }> {
  const { rows } = await sql<{ id: number }>`
    insert into import_draft (account_id, file_name, format, encoding, sha256, spool, spool_folder, bytes)
    values (${owner.accountId}::uuid, ${it.file_name}, ${it.format}, ${it.encoding}, ${it.sha256}, ${it.spool}::uuid,
      ${it.spool_folder}::uuid, ${it.bytes})
    returning id`.execute(owner.db);
  const gone = await sql<{
    spool: string;
  }>`delete from import_draft where account_id = ${owner.accountId}::uuid
    and id not in (
      select id from import_draft where account_id = ${owner.accountId}::uuid order by id desc limit ${MOST})
    returning spool`.execute(owner.db);
  return { id: rows[0]?.id ?? 0, gone: gone.rows.map(({ spool }) => spool) };
}

export async function findDraft(owner: Owner, id: number): Promise<DraftRow | undefined> {
  const { rows } = await sql<DraftRow>`select ${COLUMNS} from import_draft
    where account_id = ${owner.accountId}::uuid and id = ${id}`.execute(owner.db);
  return rows[0];
}

export async function deleteDraft(owner: Owner, id: number): Promise<DraftRow | undefined> {
  const { rows } = await sql<DraftRow>`delete from import_draft
    where account_id = ${owner.accountId}::uuid and id = ${id} returning ${COLUMNS}`.execute(owner.db);
  return rows[0];
}

/** Their files go with the next sweep. */
export async function deleteOldDrafts(db: Db): Promise<void> {
  await sql`delete from import_draft where created_at < now() - interval '24 hours'`.execute(db);
}
