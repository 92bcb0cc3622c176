import { sql } from "kysely";
import type { Db } from "../db/client.ts";
import type { Owner } from "../db/owner.ts";
import { cleanText } from "../transports/content/own-values.ts";

export type UnrecognizedReason = "unknown_event" | "malformed" | "foreign_instance";

/** Stores the start of `body`, without keys. */
export type KeepUnrecognized = (
  connectionId: number,
  reason: UnrecognizedReason,
  event: string | null,
  body: string,
) => Promise<void>;

const MAX_BODY = 4_000;
const MAX_EVENT = 60;
/** A gateway sending nonsense must not fill the disk. */
const KEPT = 100;

export async function storeUnrecognized(
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

export async function deleteUnrecognizedOf(owner: Owner, names: readonly string[]): Promise<void> {
  const patterns = names.map((name) => `%${name.replace(/@.*$/, "")}%`);
  await sql`delete from unrecognized_event u using instance i where i.connection_id = u.connection_id
    and i.account_id = ${owner.accountId}::uuid and u.body like any(${patterns}::text[])`.execute(owner.db);
}
