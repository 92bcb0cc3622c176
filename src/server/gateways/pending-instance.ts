import { sql } from "kysely";
import type { Db, Prepared } from "../db/client.ts";

/** Longer than a gateway takes to make an instance; of a process that died meanwhile nothing else is left. */
const LONGEST_S = 600;

/**
 * A gateway is being asked for an instance with this webhook: it posts events of it before it answers that it exists, to whichever of our
 * processes, and they must come again.
 */
export async function beginPendingInstance(db: Db, hookId: string): Promise<void> {
  await sql`with old as (delete from pending_instance where until < now())
    insert into pending_instance (hook_id, until) values (${hookId}, now() + ${LONGEST_S} * interval '1 second')`.execute(
    db,
  );
}

export async function endPendingInstance(db: Db, hookId: string): Promise<void> {
  await sql`delete from pending_instance where hook_id = ${hookId}`.execute(db);
}

/** Whether an instance with this webhook is being made now, at whichever process. */
export async function isPendingInstance(prepared: Prepared, hookId: string): Promise<boolean> {
  const { rows } = await prepared(
    "webhook_making",
    "select from pending_instance where hook_id = $1 and until > now()",
    [hookId],
  );
  return rows.length > 0;
}
