import { sql } from "kysely";
import type { Db } from "../db/client.ts";
import { cleanText } from "../transports/content/own-values.ts";

export type UnrecognizedReason = "unknown_event" | "malformed" | "foreign_instance";

/** Keeps what came and cannot be used. `body` is without keys; only its beginning is kept. */
export type KeepUnrecognized = (
  connectionId: number,
  reason: UnrecognizedReason,
  event: string | null,
  body: string,
) => Promise<void>;

const MAX_BODY = 4_000;
const MAX_EVENT = 60;
/** Of one instance: a person looks at a few, and a gateway that only talks nonsense must not fill the disk. */
const KEPT = 100;

/** In the running transaction, or by itself. Of an instance that is gone nothing is kept. */
export async function keepUnrecognized(
  db: Db,
  ...[connectionId, reason, event, body]: Parameters<KeepUnrecognized>
): Promise<void> {
  const name = event === null ? null : cleanText(event, MAX_EVENT);
  await sql`insert into unrecognized_event (connection_id, reason, event, body)
    select connection_id, ${reason}, ${name}, ${cleanText(body, MAX_BODY)} from instance where connection_id = ${connectionId}`.execute(
    db,
  );
  await sql`delete from unrecognized_event where connection_id = ${connectionId} and id <= (
      select id from unrecognized_event where connection_id = ${connectionId} order by id desc offset ${KEPT} limit 1)`.execute(
    db,
  );
}
