import { sql } from "kysely";
import { DELIVERY } from "../../../domain/delivery.ts";
import type { Db, Prepared } from "../../db/client.ts";
import { addressesOf, findUnread, isUnread, type Reachable } from "../ledger/unread-opt-outs.ts";

/**
 * Marks of messages about to be written to a gateway, which takes no id of ours: without one, whoever was handed out when a process died
 * may have got the message; with it, those that were never marked certainly did not, and are sent. While somebody is `sending`,
 * `not_before` is when their message was begun.
 *
 * Both resolve when the mark is committed, with what to call once the message is on the wire or will never be. Null: the row stands under
 * another fence, and a former owner must not write: the new one may already have handed it out again.
 */
export type WireMarks = {
  /** `unread`: they may have asked to leave in an event that is not read yet, so that nothing is written to them now. */
  person(of: MarkedPerson): Promise<(() => void) | null | "unread">;
  single(outboxId: number): Promise<(() => void) | null>;
};

export type MarkedPerson = Reachable & { accountId: string; campaignId: number; seq: number };

const MARK = `update delivery set not_before = now()
  where campaign_id = $1 and seq = $2 and status = ${DELIVERY.sending} and fence = $3 and not ${isUnread("$4", "$5")}`;

/**
 * For one lane. One message at a time is between mark and wire, so that a crash leaves one unknown there, not one in each slot; how long
 * the answers take is nobody's wait.
 */
export function wireMarks(db: Db, prepared: Prepared, fence: number): WireMarks {
  let last: Promise<unknown> = Promise.resolve();
  async function next(mark: () => Promise<boolean>): Promise<(() => void) | null> {
    const before = last;
    const { promise, resolve } = Promise.withResolvers<void>();
    last = promise;
    await before;
    let marked = false;
    try {
      marked = await mark();
    } finally {
      if (!marked) resolve();
    }
    return marked ? resolve : null;
  }
  return {
    async person(one) {
      const values = [one.campaignId, one.seq, fence, one.accountId, addressesOf(one)];
      const onWire = await next(async () => (await prepared("mark_person", MARK, values)).rowCount === 1);
      if (onWire) return onWire;
      return (await findUnread(prepared, one.accountId, [one])).size > 0 ? "unread" : null;
    },
    single: (id) =>
      next(async () => {
        const { rows } = await sql`update outbox set not_before = now()
          where id = ${id} and status = ${DELIVERY.sending} and fence = ${fence} returning id`.execute(db);
        return rows.length === 1;
      }),
  };
}
