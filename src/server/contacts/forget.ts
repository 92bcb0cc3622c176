import { sql } from "kysely";
import type { Db } from "../db/client.ts";
import type { Owner } from "../db/owner.ts";
import type { Spool } from "./spool.ts";

const NOTED_DAYS = 30;

/** Personal data, perhaps of people in no list. */
export async function pruneNotedRows(db: Db): Promise<void> {
  await sql`delete from contact_import_row r using contact_import i
    where r.import_id = i.id and i.finished_at < now() - ${NOTED_DAYS} * interval '1 day'`.execute(db);
}

/**
 * Of a deleted account; workers keep nothing. Those noting rows still reference the import and are not waited
 * for.
 */
export async function pruneImports(owner: Owner, spool: Pick<Spool, "remove">): Promise<void> {
  const { rows } = await sql<{ spool: string | null }>`
    with open as (
      select id, spool from contact_import
      where account_id = ${owner.accountId} and state in ('waiting', 'running') for no key update),
    ended as (
      update contact_import i set state = 'failed', fault = 'import_interrupted', fault_details = '{}', imported = 0,
        finished_at = now(), spool = null, worker = null, lease_until = null
      from open where i.id = open.id)
    select spool from open`.execute(owner.db);
  for (const { spool: file } of rows) if (file !== null) spool.remove(file);
}

/** Of a suspended account; restarts later. */
export async function releaseImportsOf(owner: Owner): Promise<void> {
  await sql`
    update contact_import set state = 'waiting', worker = null, lease_until = null, tries = greatest(tries - 1, 0), bytes_read = 0,
      rows_read = 0, imported = 0, repeated = 0, refused = 0, ninth_added = 0
    where account_id = ${owner.accountId}::uuid and state = 'running'`.execute(owner.db);
}
