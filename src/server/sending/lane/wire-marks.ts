import { sql } from "kysely";
import { DELIVERY } from "../../../domain/delivery.ts";
import type { Db, Prepared } from "../../db/client.ts";
import { addressesOf, findUnread, isUnread, type Reachable } from "../ledger/unread-opt-outs.ts";

/**
 * Marks messages before a gateway, which takes no id of ours, gets them: after a crash unmarked ones were
 * certainly unsent. `not_before` stores the begin; null: another fence, do not write.
 */
export type WireMarks = {
  /** `unread`: possible unread opt-out, do not write. */
  person(of: MarkedPerson): Promise<(() => void) | null | "unread">;
  single(outboxId: number): Promise<(() => void) | null>;
};

export type MarkedPerson = Reachable & { accountId: string; campaignId: number; seq: number };

const MARK = `update delivery set not_before = now()
  where campaign_id = $1 and seq = $2 and status = ${DELIVERY.sending} and fence = $3 and not ${isUnread("$4", "$5")}`;

/**
 * One message at a time between mark and write: a crash leaves one unknown, not one per slot. Answers need no
 * wait.
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
