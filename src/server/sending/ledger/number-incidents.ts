import { sql } from "kysely";
import { LOCKS_WITHIN_DAYS } from "../../../domain/breaker.ts";
import type { Db } from "../../db/client.ts";
import type { StateReport } from "../../transports/transport.ts";

const STOPS: Readonly<Record<string, string>> = {
  banned: "number_banned",
  logged_out: "number_logged_out",
};

/** Of planned numbers; `was`: the former cause. */
export async function noteIncident(
  tx: Db,
  connectionId: number,
  was: string | null,
  { state, cause = null, causeUntil = null }: StateReport,
): Promise<void> {
  if (cause === null) return;
  const stops = STOPS[cause];
  if (state === "disconnected" && stops !== undefined && cause !== was)
    await addIncident(tx, connectionId, stops);
  if (cause === "timelocked" && causeUntil !== null) await noteLock(tx, connectionId, causeUntil);
}

const addIncident = (tx: Db, connectionId: number, cause: string) =>
  sql`insert into number_incident (connection_id, cause)
    select connection_id, ${cause} from number_plan where connection_id = ${connectionId}`.execute(tx);

const LOCK = sql`cause in ('timelocked', 'number_locked_again')`;

/** A prolonged or repeated lock is the same one. */
async function noteLock(tx: Db, connectionId: number, until: Date): Promise<void> {
  await sql`with going as (
      update number_incident set until = greatest(until, ${until}::timestamptz)
      where connection_id = ${connectionId} and ${LOCK} and until > now() returning 1)
    insert into number_incident (connection_id, cause, until)
    select connection_id, case when exists (
        select from number_incident where connection_id = ${connectionId} and ${LOCK}
          and at > now() - ${LOCKS_WITHIN_DAYS} * interval '1 day') then 'number_locked_again' else 'timelocked' end,
      ${until}::timestamptz
    from number_plan where connection_id = ${connectionId} and not exists (select from going)`.execute(tx);
}

export async function readIncidents(tx: Db, connectionId: number): Promise<void> {
  await sql`update number_incident set read_at = now() where connection_id = ${connectionId} and read_at is null`.execute(
    tx,
  );
}
