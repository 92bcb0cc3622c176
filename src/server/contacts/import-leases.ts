import { sql } from "kysely";
import type { Db } from "../db/client.ts";

/** Marks the running transaction as the one that fills an import, so that `endFrozen` finds it. */
export async function markFilling(tx: Db, importId: number): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended('import ' || ${importId}::bigint, 0))`.execute(tx);
}

/** How long one that is being ended may take for it. */
const ENDING_MS = 5_000;
/** Another host's import cannot be taken over here: one that is only slow goes on. */
const OTHERS = sql`interval '5 minutes'`;

/**
 * Ends what workers hold that kept no lease: one that is frozen, or whose machine is gone, in the middle of a COPY would hold its import and
 * its account for as long as it is, for no limit of PostgreSQL's ends a transaction whose COPY waits for more.
 */
export async function endFrozen(db: Db, folder: string): Promise<void> {
  // One statement: between two of them a lease that was over could be another worker's, who would be ended instead.
  await sql`select pg_terminate_backend(l.pid, ${ENDING_MS}) from contact_import i
    join pg_locks l on (l.classid::bigint << 32 | l.objid::bigint) = hashtextextended('import ' || i.id, 0)
    where i.state = 'running' and i.lease_until < now()
      and (i.spool_folder = ${folder}::uuid or i.lease_until < now() - ${OTHERS})
      and l.locktype = 'advisory' and l.objsubid = 1 and l.granted
      and l.database = (select oid from pg_database where datname = current_database())`.execute(db);
}

/**
 * Leases that end later than any can were given before the database's clock was set back: they last as long as one given now. Whoever
 * lives keeps theirs meanwhile.
 */
export async function shortenImportLeases(db: Db, leaseS: number): Promise<void> {
  await sql`update contact_import set lease_until = now() + make_interval(secs => ${leaseS})
    where state = 'running' and lease_until > now() + interval '10 minutes'`.execute(db);
}
