import { sql } from "kysely";
import type { Db, Prepared } from "../db/client.ts";

/** Longer than creating takes; clears leftovers of dead processes. */
const LONGEST_S = 600;

/** A pending instance's events arrive at any process before the gateway answers, and must be sent again. */
export async function beginPendingInstance(db: Db, hookId: string): Promise<void> {
  await sql`with old as (delete from pending_instance where until < now())
    insert into pending_instance (hook_id, until) values (${hookId}, now() + ${LONGEST_S} * interval '1 second')`.execute(
    db,
  );
}

export async function endPendingInstance(db: Db, hookId: string): Promise<void> {
  await sql`delete from pending_instance where hook_id = ${hookId}`.execute(db);
}

export async function isPendingInstance(prepared: Prepared, hookId: string): Promise<boolean> {
  const { rows } = await prepared(
    "webhook_making",
    "select from pending_instance where hook_id = $1 and until > now()",
    [hookId],
  );
  return rows.length > 0;
}
