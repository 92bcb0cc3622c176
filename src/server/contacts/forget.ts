import { sql } from "kysely";
import type { Db } from "../db/client.ts";
import type { Owner } from "../db/owner.ts";
import type { Spool } from "./spool.ts";

/** How long somebody has to correct the rows that an import refused. */
const NOTED_DAYS = 30;

/** Forgets the rows that imports noted down long ago, names and numbers that may be in no list; their reports keep what they counted. */
export async function forgetNotedRows(db: Db): Promise<void> {
  await sql`delete from contact_import_row r using contact_import i
    where r.import_id = i.id and i.finished_at < now() - ${NOTED_DAYS} * interval '1 day'`.execute(db);
}

/**
 * Stops an account's imports, for it is being deleted: whoever reads one notices and keeps nothing of it, and its file goes. Whoever has
 * noted rows of one refers to it until they are done, and is not waited for.
 */
export async function forgetImports(owner: Owner, spool: Pick<Spool, "remove">): Promise<void> {
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

/** Stops what runs for an account; nothing of it is kept, and it begins again when the account may again. */
export async function releaseImportsOf(owner: Owner): Promise<void> {
  await sql`
    update contact_import set state = 'waiting', worker = null, lease_until = null, tries = greatest(tries - 1, 0), bytes_read = 0,
      rows_read = 0, imported = 0, repeated = 0, refused = 0, ninth_added = 0
    where account_id = ${owner.accountId}::uuid and state = 'running'`.execute(owner.db);
}
