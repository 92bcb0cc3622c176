import type { LeftOut } from "../ledger/signals.ts";

/**
 * `halted`: the campaign stopped, or an opt-out may have been missed; `closing`: the lane's time is over.
 */
export type AbortReason = LeftOut | "halted" | "closing";

/**
 * Ends one recipient's way to the wire, and says why. An `AbortSignal` keeps its first reason, but an opt-out
 * must replace the others: it is final, while they give the recipient back.
 */
export class RecipientSignal {
  #reason: AbortReason | null = null;

  get aborted(): boolean {
    return this.#reason !== null;
  }

  get reason(): AbortReason | null {
    return this.#reason;
  }

  /** The reason, if it is an opt-out. */
  get optedOut(): LeftOut | null {
    const reason = this.#reason;
    return reason === "halted" || reason === "closing" ? null : reason;
  }

  abort(reason: AbortReason): void {
    const isOptOut = reason !== "halted" && reason !== "closing";
    if (isOptOut || this.optedOut === null) this.#reason = reason;
  }
}
