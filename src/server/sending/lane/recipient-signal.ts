import type { LeftOut } from "../ledger/signals.ts";

/** `halted`: the campaign stopped; `unchecked`: an opt-out may have been missed; `closing`: the lane's time is over. */
export type AbortReason = LeftOut | Return;

type Return = "halted" | "unchecked" | "closing";

const RETURNS: readonly string[] = ["halted", "unchecked", "closing"] satisfies Return[];
const isReturn = (reason: AbortReason): reason is Return => RETURNS.includes(reason);

/**
 * Ends one recipient's way to the wire, and says why. An `AbortSignal` keeps its first reason, but an opt-out
 * must replace the others: it is final, while they give the recipient back.
 */
export class RecipientSignal {
  #reason: AbortReason | null = null;
  #hasBegun = false;

  get aborted(): boolean {
    return this.#reason !== null;
  }

  get reason(): AbortReason | null {
    return this.#reason;
  }

  /** The reason, if it is an opt-out. */
  get optedOut(): LeftOut | null {
    const reason = this.#reason;
    return reason === null || isReturn(reason) ? null : reason;
  }

  /** The first of several messages left: the campaign's stop no longer keeps back the others. */
  begin(): void {
    this.#hasBegun = true;
    if (this.#reason === "halted") this.#reason = null;
  }

  abort(reason: AbortReason): void {
    if (this.#hasBegun && reason === "halted") return;
    if (!isReturn(reason) || this.optedOut === null) this.#reason = reason;
  }
}
