import { sql } from "kysely";
import { DELIVERY } from "../../../domain/delivery.ts";
import type { Db, Prepared } from "../../db/client.ts";
import { addressesOf, findUnread, isUnread, type Reachable } from "../ledger/unread-opt-outs.ts";

export type MarkedPerson = Reachable & { accountId: string; campaignId: number; seq: number };

const MARK = `update delivery set not_before = now()
  where campaign_id = $1 and seq = $2 and status = ${DELIVERY.sending} and fence = $3 and not ${isUnread("$4", "$5")}`;

/** Called when the first byte is about to leave; null: another fence, do not write. */
type OnWire = (() => void) | null;

/**
 * Marks messages before a gateway, which takes no id of ours, gets them: unmarked ones were never sent. One at a
 * time between mark and write, so a crash leaves one unknown. `not_before` stores the begin.
 */
export class WireMarks {
  readonly #db: Db;
  readonly #prepared: Prepared;
  readonly #fence: number;
  #last: Promise<unknown> = Promise.resolve();

  constructor(db: Db, prepared: Prepared, fence: number) {
    this.#db = db;
    this.#prepared = prepared;
    this.#fence = fence;
  }

  /** `unread`: possible unread opt-out, do not write. */
  async person(one: MarkedPerson): Promise<OnWire | "unread"> {
    const values = [one.campaignId, one.seq, this.#fence, one.accountId, addressesOf(one)];
    const onWire = await this.#next(
      async () => (await this.#prepared("mark_person", MARK, values)).rowCount === 1,
    );
    if (onWire) return onWire;
    return (await findUnread(this.#prepared, one.accountId, [one])).size > 0 ? "unread" : null;
  }

  direct(outboxId: number): Promise<OnWire> {
    return this.#next(async () => {
      const { rows } = await sql`update outbox set not_before = now()
        where id = ${outboxId} and status = ${DELIVERY.sending} and fence = ${this.#fence} returning id`.execute(
        this.#db,
      );
      return rows.length === 1;
    });
  }

  async #next(mark: () => Promise<boolean>): Promise<OnWire> {
    const before = this.#last;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#last = promise;
    await before;
    let marked = false;
    try {
      marked = await mark();
    } finally {
      if (!marked) resolve();
    }
    return marked ? resolve : null;
  }
}
