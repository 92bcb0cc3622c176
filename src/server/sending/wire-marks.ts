import { sql } from "kysely";
import { DELIVERY } from "../../domain/delivery.ts";
import type { Db, Prepared } from "../db/client.ts";

/**
 * Marks of messages about to be written to a gateway, which takes no id of ours: without one, whoever was handed out when a process died
 * may have got the message; with it, those that were never marked certainly did not, and are sent. While somebody is `sending`,
 * `not_before` is when their message was begun.
 *
 * Both resolve when the mark is committed. False: the row stands under another fence, and a former owner must not write: the new one may
 * already have handed it out again.
 */
export type WireMarks = {
  person(of: { campaignId: number; seq: number }): Promise<boolean>;
  single(outboxId: number): Promise<boolean>;
};

const MARK = `update delivery set not_before = now()
  where campaign_id = $1 and seq = $2 and status = ${DELIVERY.sending} and fence = $3`;

/**
 * For one lane. One mark at a time, each begun when the one before is committed and its message goes out: a crash meets one message
 * between mark and wire, not one in each slot.
 */
export function wireMarks(db: Db, prepared: Prepared, fence: number): WireMarks {
  let last: Promise<unknown> = Promise.resolve();
  function next(mark: () => Promise<boolean>): Promise<boolean> {
    const marked = last.then(mark);
    last = marked.catch(() => undefined);
    return marked;
  }
  return {
    person: ({ campaignId, seq }) =>
      next(async () => (await prepared("mark_person", MARK, [campaignId, seq, fence])).rowCount === 1),
    single: (id) =>
      next(async () => {
        const { rows } = await sql`update outbox set not_before = now()
          where id = ${id} and status = ${DELIVERY.sending} and fence = ${fence} returning id`.execute(db);
        return rows.length === 1;
      }),
  };
}
