import { sql } from "kysely";
import type { Db, Prepared } from "../db/client.ts";

/** Longer than a gateway takes to make an instance; of a process that died meanwhile nothing else is left. */
const LONGEST_S = 600;

/**
 * A gateway is being asked for an instance with this webhook: it posts events of it before it answers that it exists, to whichever of our
 * processes, and they must come again.
 */
export async function beginMaking(db: Db, hookId: string): Promise<void> {
  await sql`with old as (delete from instance_making where until < now())
    insert into instance_making (hook_id, until) values (${hookId}, now() + ${LONGEST_S} * interval '1 second')`.execute(
    db,
  );
}

export async function endMaking(db: Db, hookId: string): Promise<void> {
  await sql`delete from instance_making where hook_id = ${hookId}`.execute(db);
}

/** Whether an instance with this webhook is being made now, at whichever process. */
export async function isMaking(prepared: Prepared, hookId: string): Promise<boolean> {
  const { rows } = await prepared(
    "webhook_making",
    "select from instance_making where hook_id = $1 and until > now()",
    [hookId],
  );
  return rows.length > 0;
}
