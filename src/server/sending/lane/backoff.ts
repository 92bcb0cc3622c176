import type { LaneHold } from "../../../domain/campaign.ts";
import type { Transport } from "../../transports/transport.ts";
import type { Stop } from "./delivered.ts";
import type { LaneDeps } from "./lane-deps.ts";

type BackoffDeps = Pick<LaneDeps, "clock" | "log" | "connectionId" | "after"> & {
  times: Pick<LaneDeps["times"], "backoff">;
  transport: Pick<Transport, "holds">;
};

const SHOWN_MS = 10_000;
const TRY_MS = 30_000;

/** Waits after the channel stopped, and shows the long ones; times are monotonic ms. */
export class Backoff {
  readonly #deps: BackoffDeps;
  #until = 0;
  /** The end of the wait was named by the channel. */
  #isFirm = false;
  #stops = 0;
  #shown: LaneHold | null = null;
  #cancelHide = () => {};

  constructor(deps: BackoffDeps) {
    this.#deps = deps;
  }

  /** Called for each message: reads the clock only during a wait. */
  waits(): boolean {
    return this.#until > 0 && this.#deps.clock.monotonic() < this.#until;
  }

  until(): number {
    return this.#until;
  }

  stopped(stop: Stop): void {
    const { clock, log, connectionId } = this.#deps;
    const { cause, retryAt } = stop;
    const wait = this.#nextWait();
    log.info({ connectionId, cause }, "lane waits: the channel stopped");
    const now = clock.monotonic();
    // Of several in flight one stop had an end and this one has none: keep it.
    if (retryAt === null && this.#isFirm && this.#until > now) {
      this.#until = Math.max(this.#until, now + wait);
      if (this.#shown) this.#show(this.#shown, this.#until - now);
      return;
    }
    // A restriction belongs to the number: the device knows when another is linked or WhatsApp lifts it.
    this.#isFirm = typeof retryAt === "number" && cause !== "timelocked";
    if (retryAt === "human") this.#until = Number.POSITIVE_INFINITY;
    else if (retryAt === null) this.#until = now + wait;
    else this.#until = now + Math.max(0, retryAt - clock.now().getTime());
    this.#showWait(stop);
  }

  /** A message went out. */
  reached(): void {
    this.#stops = 0;
    if (this.#shown && !this.waits()) this.#show(null);
  }

  /** Retries at once, since the wait belonged to the outage, unless WhatsApp named its end. */
  onReady(): void {
    if (this.#isFirm) return;
    this.#until = 0;
    this.#show(null);
  }

  close(): void {
    this.#cancelHide();
  }

  #nextWait(): number {
    const { backoff } = this.#deps.times;
    const wait = backoff[Math.min(this.#stops, backoff.length - 1)] ?? 0;
    this.#stops += 1;
    return wait;
  }

  #showWait({ cause, retryAt }: Stop): void {
    const wait = this.#until - this.#deps.clock.monotonic();
    if (wait < SHOWN_MS || wait === Number.POSITIVE_INFINITY) return;
    if (cause === "rate_limited") this.#show("rate_limited", wait);
    else this.#show("not_sending", wait + (retryAt === null ? TRY_MS : 0));
  }

  #show(why: LaneHold | null, ms = 0): void {
    const { after, transport } = this.#deps;
    this.#cancelHide();
    this.#cancelHide = why ? after(ms, () => this.#show(null)) : () => {};
    const before = this.#shown;
    if (why === before) return;
    this.#shown = why;
    if (before) transport.holds?.(before, false);
    if (why) transport.holds?.(why, true);
  }
}
