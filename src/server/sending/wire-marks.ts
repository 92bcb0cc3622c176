import { sql } from "kysely";
import { DELIVERY } from "../../domain/delivery.ts";
import type { Db, Prepared } from "../db/client.ts";

/**
 * Marks of messages about to be written to a gateway, which takes no id of ours: without one, whoever was handed out when a process died
 * may have got the message; with it, those that were never marked certainly did not, and are sent. While somebody is `sending`,
 * `not_before` is when their message was begun. A mark that finds its row under another fence was asked for by a former owner, who must
 * not write: the new one may already have handed the person out again.
 */
const MARK = `update delivery set not_before = now()
  where campaign_id = $1 and seq = $2 and status = ${DELIVERY.sending} and fence = $3`;

/** False: the person is not ours any more, nothing may be written. Committed when it resolves. */
export async function markPerson(
  prepared: Prepared,
  fence: number,
  { campaignId, seq }: { campaignId: number; seq: number },
): Promise<boolean> {
  const { rowCount } = await prepared("mark_person", MARK, [campaignId, seq, fence]);
  return rowCount === 1;
}

/** As `markPerson`, for a message of the outbox. */
export async function markOutbox(db: Db, fence: number, id: number): Promise<boolean> {
  const { rows } = await sql`update outbox set not_before = now()
    where id = ${id} and status = ${DELIVERY.sending} and fence = ${fence} returning id`.execute(db);
  return rows.length === 1;
}
