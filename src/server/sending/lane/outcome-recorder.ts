import { DELIVERY } from "../../../domain/delivery.ts";
import type { Db } from "../../db/client.ts";
import { finishOutbox } from "../outbox/outbox.ts";
import type { AcceptedIds } from "./accepted-ids.ts";
import { type Delivered, wentOut } from "./delivered.ts";
import type { OutcomeBuffer } from "./outcome-buffer.ts";
import type { Direct, Person, Recipient } from "./recipient.ts";

type RecorderDeps = {
  db: Db;
  fence: number;
  outcomes: OutcomeBuffer;
  /** Absent where the transport takes our ids. */
  accepted: AcceptedIds | undefined;
  /** The first outcome waits to be recorded. */
  buffered(): void;
  /** Another direct message may be sent now, and after `ms` unless null. */
  finishedDirect(ms: number | null): void;
};

/** Brings each outcome to its place: a campaign's turn, the provider ids, the outbox. */
export class OutcomeRecorder {
  readonly #deps: RecorderDeps;

  constructor(deps: RecorderDeps) {
    this.#deps = deps;
  }

  /** Null: nothing to wait for. */
  record(recipient: Recipient, result: Delivered): Promise<void> | null {
    if (recipient.kind === "direct" || (wentOut(result) && this.#deps.accepted))
      return this.#store(recipient, result);
    this.#buffer(recipient, result);
    return null;
  }

  #buffer({ campaign, person: { seq } }: Person, result: Delivered): void {
    const { outcomes, buffered } = this.#deps;
    const finished = wentOut(result) ? { seq, to: result.to, at: result.at } : { ...result, seq };
    outcomes.add(campaign.id, campaign.accountId, finished);
    if (outcomes.size() === 1) buffered();
  }

  async #store(recipient: Recipient, result: Delivered): Promise<void> {
    const { accepted } = this.#deps;
    if (wentOut(result) && accepted) await accepted.store(recipient, result);
    if (recipient.kind === "person") this.#buffer(recipient, result);
    else await this.#finishDirect(recipient, result);
  }

  async #finishDirect({ message }: Direct, result: Delivered): Promise<void> {
    const { db, fence, finishedDirect } = this.#deps;
    const detail = wentOut(result) ? { error: null, attempts: 1, ambiguous: false, delayMs: 0 } : result;
    await finishOutbox(db, fence, message.id, { ...detail, status: DELIVERY[result.to], at: result.at });
    finishedDirect(detail.delayMs > 0 && !detail.ambiguous ? detail.delayMs : null);
  }
}
