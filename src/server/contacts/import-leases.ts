import { sql } from "kysely";
import type { Db } from "../db/client.ts";

/** For `endFrozen`. */
export async function markFilling(tx: Db, importId: number): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended('import ' || ${importId}::bigint, 0))`.execute(tx);
}

const ENDING_MS = 5_000;
/** Another host's may only be slow. */
const OTHERS = sql`interval '5 minutes'`;

/**
 * Ends backends without a lease: frozen in a COPY, which no PostgreSQL timeout ends, they hold import and
 * account for ever.
 */
export async function endFrozen(db: Db, folder: string): Promise<void> {
  // One statement: between two, an expired lease could pass to another worker.
  await sql`select pg_terminate_backend(l.pid, ${ENDING_MS}) from contact_import i
    join pg_locks l on (l.classid::bigint << 32 | l.objid::bigint) = hashtextextended('import ' || i.id, 0)
    where i.state = 'running' and i.lease_until < now()
      and (i.spool_folder = ${folder}::uuid or i.lease_until < now() - ${OTHERS})
      and l.locktype = 'advisory' and l.objsubid = 1 and l.granted
      and l.database = (select oid from pg_database where datname = current_database())`.execute(db);
}

/** After the clock was set back; live workers renew theirs. */
export async function shortenImportLeases(db: Db, leaseS: number): Promise<void> {
  await sql`update contact_import set lease_until = now() + make_interval(secs => ${leaseS})
    where state = 'running' and lease_until > now() + interval '10 minutes'`.execute(db);
}

/** Their files stayed with the original of a restored copy. */
export async function interruptImports(tx: Db): Promise<void> {
  await sql`update contact_import set state = 'failed', fault = 'import_interrupted', fault_details = '{}', imported = 0,
      finished_at = now(), worker = null, lease_until = null
    where state in ('waiting', 'running')`.execute(tx);
  await sql`delete from import_draft`.execute(tx);
}
