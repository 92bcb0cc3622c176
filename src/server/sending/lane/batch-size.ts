import type { Clock } from "../../../domain/clock.ts";
import type { Transport } from "../../transports/transport.ts";
import type { OutcomeBuffer } from "./outcome-buffer.ts";
import { Throughput } from "./throughput.ts";

/**
 * Claimed at once where a resend under the same id is harmless: 0.1 s of sending. A slow channel leaves few
 * doubts in a crash, a fast one saves commits.
 */
const BATCH = { least: 4, most: 500, seconds: 0.1 };
/**
 * Where only free slots are claimed: ¾ of the slots, or 5 ms, share a commit. Fewer would make commits the
 * bottleneck of a fast gateway; a longer wait would idle a slow one's slots.
 */
const GROUP = { share: 0.75, waitMs: 5 };

/** How many people a lane without a pace claims, and when it records outcomes. */
export class BatchSize {
  /** Outcomes wait this long for others of the same commit. */
  readonly shareMs: number;
  readonly #transport: Transport;
  readonly #outcomes: OutcomeBuffer;
  readonly #throughput: Throughput;

  constructor(transport: Transport, clock: Clock, flush: number, outcomes: OutcomeBuffer) {
    this.#transport = transport;
    this.#outcomes = outcomes;
    this.#throughput = new Throughput(clock);
    this.shareMs = transport.takesOurIds ? flush : Math.min(flush, GROUP.waitMs);
  }

  countSettled(): void {
    this.#throughput.count();
  }

  free(queued: number, inFlight: number): number {
    const { takesOurIds, slots } = this.#transport;
    if (takesOurIds) return queued < this.#batch() / 2 ? this.#batch() : 0;
    const free = slots - inFlight - queued;
    const enough = free >= slots * GROUP.share || inFlight === 0;
    return enough || this.#outcomes.age() >= this.shareMs ? Math.max(0, free) : 0;
  }

  mustRecord(): boolean {
    return this.#outcomes.size() >= BATCH.most || this.#outcomes.age() >= this.shareMs;
  }

  #batch(): number {
    const leaving = Math.round(this.#throughput.perSecond() * BATCH.seconds);
    return Math.max(BATCH.least, Math.min(BATCH.most, leaving));
  }
}
