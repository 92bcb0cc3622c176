import type { Logger } from "pino";
import type { Clock } from "../../../domain/clock.ts";
import type { LaneTransport } from "../../transports/transport.ts";
import type { Lane } from "./lane.ts";

/** Returns a check: have all events that the account's gateways posted until now been processed? */
export type EventsProcessedCheck = (accountId: string) => Promise<() => Promise<boolean>>;

/** Messages a gateway stored while it may not have notified us. */
export type Backlog = {
  /**
   * True when it held messages from before `before` that the last read lacked: the gateway is still storing.
   * Throws when unreadable.
   */
  read(before: Date): Promise<boolean>;
};

export type OpenBacklog = (of: { accountId: string; connectionId: number }) => Backlog;

type Why = "catching_up" | "backlog_unread";

export type GateTimes = {
  poll: number;
  /**
   * Wait after `open` for messages written during the outage. WhatsApp delivers them within 1 s, a gateway
   * stores them one by one: a real 2.3.7 took 2 s for ten.
   */
  settle: number;
  /** Interval and maximum duration of reads while the gateway still stores old messages. */
  again: number;
  growing: number;
  retry: readonly number[];
  unread: number;
  /** The gate opens after this in any case: other people's messages must not wait for ever. */
  most: number;
};

export const GATE_TIMES: GateTimes = {
  poll: 500,
  settle: 5_000,
  again: 2_000,
  growing: 60_000,
  retry: [1_000, 2_000, 5_000, 10_000, 30_000],
  unread: 30_000,
  most: 10 * 60_000,
};

type GateDeps = {
  accountId: string;
  connectionId: number;
  eventsProcessed?: EventsProcessedCheck | undefined;
  /** Absent for devices: they are ready only after all messages arrived. */
  openBacklog?: OpenBacklog | undefined;
  clock: Clock;
  wait: (ms: number) => Promise<unknown>;
  log: Logger;
  times: GateTimes;
  lane(): Pick<Lane, "wake" | "optOutsMissed"> | undefined;
  transport: Pick<LaneTransport, "holds" | "ready" | "onReady" | "onInterrupted" | "look">;
};

/**
 * Holds campaigns until opt-outs are known, when a lane begins and after each outage that may have hidden
 * messages. Direct messages pass, since a person has just decided to send them.
 */
export class BacklogGate {
  readonly #deps: GateDeps;
  readonly #unsubscribe: (() => void)[];
  #ready: boolean;
  #isOpen = false;
  #isBehind = false;
  #round = 0;
  /** Kept during one hold: a flapping session must not read everything again each time. */
  #backlog: Backlog | null = null;
  #held: Why | null = null;
  #shown: Why | null = null;

  constructor(deps: GateDeps) {
    this.#deps = deps;
    const { transport } = deps;
    this.#ready = transport.ready();
    this.#unsubscribe = [
      transport.onReady(() => this.#onReady()),
      transport.onInterrupted?.(() => this.closeAgain()) ?? (() => undefined),
    ];
    if (this.#ready) this.#begin();
  }

  isOpen(): boolean {
    return this.#isOpen && !this.#isBehind;
  }

  /** The account's unread gateway events, possibly opt-outs, are too old, or no longer so. */
  behind(is: boolean): void {
    if (is === this.#isBehind) return;
    this.#isBehind = is;
    this.#show();
    if (is) this.#deps.lane()?.optOutsMissed();
    else this.#deps.lane()?.wake();
  }

  /** Something may have been missed: claimed people go back and are checked again before sending. */
  closeAgain(): void {
    this.#round += 1;
    if (this.#isOpen) {
      this.#isOpen = false;
      this.#deps.lane()?.optOutsMissed();
    }
    if (this.#ready) this.#begin();
  }

  end(): void {
    this.#round += 1;
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
  }

  #onReady(): void {
    const ready = this.#deps.transport.ready();
    if (ready === this.#ready) return;
    this.#ready = ready;
    this.closeAgain();
  }

  #begin(): void {
    const round = this.#round;
    void this.#pass(() => round === this.#round);
  }

  async #pass(isCurrent: () => boolean): Promise<void> {
    const { openBacklog, eventsProcessed, accountId, connectionId } = this.#deps;
    if (openBacklog) {
      this.#backlog ??= openBacklog({ accountId, connectionId });
      await this.#readBacklog(this.#backlog, isCurrent);
    }
    if (eventsProcessed && isCurrent()) await this.#waitUntilTakenIn(eventsProcessed, isCurrent);
    if (!isCurrent()) return;
    this.#isOpen = true;
    this.#backlog = null;
    this.#hold(null);
    this.#deps.lane()?.wake();
  }

  async #readBacklog(backlog: Backlog, isCurrent: () => boolean): Promise<void> {
    const { clock, wait, times } = this.#deps;
    const begun = clock.monotonic();
    const before = clock.now();
    const since = () => clock.monotonic() - begun;
    this.#hold("catching_up");
    while (isCurrent()) {
      const grew = await this.#readOnce(backlog, before, isCurrent);
      if (grew === "unreadable" || !isCurrent()) return;
      const rest = times.settle - since();
      if (rest > 0) await wait(rest);
      else if (!grew || since() >= times.growing) return;
      else await wait(times.again);
    }
  }

  async #readOnce(backlog: Backlog, before: Date, isCurrent: () => boolean): Promise<boolean | "unreadable"> {
    const { clock, wait, times, log, connectionId, transport } = this.#deps;
    const begun = clock.monotonic();
    for (let failures = 0; isCurrent(); failures += 1) {
      try {
        const grew = await backlog.read(before);
        if (isCurrent()) this.#hold("catching_up");
        return grew;
      } catch (error) {
        log.info({ err: error, connectionId }, "missed messages could not be read");
      }
      if (!isCurrent()) break;
      // While nothing is sent, nothing else notices an offline gateway.
      transport.look?.();
      const failing = clock.monotonic() - begun;
      if (failing >= times.most) {
        log.warn({ connectionId }, "campaigns continue although missed messages could not be read");
        return "unreadable";
      }
      if (failing >= times.unread) this.#hold("backlog_unread");
      await wait(times.retry[Math.min(failures, times.retry.length - 1)] ?? times.poll);
    }
    return "unreadable";
  }

  async #waitUntilTakenIn(eventsProcessed: EventsProcessedCheck, isCurrent: () => boolean): Promise<void> {
    const { accountId, clock, wait, times, log } = this.#deps;
    const end = clock.monotonic() + times.most;
    let isIn: (() => Promise<boolean>) | null = null;
    while (clock.monotonic() < end) {
      try {
        isIn ??= await eventsProcessed(accountId);
        if (await isIn()) return;
        if (isCurrent()) this.#hold("catching_up");
      } catch (error) {
        log.debug({ err: error }, "what waits to be taken in is not known yet");
      }
      if (isCurrent()) await wait(times.poll);
      if (!isCurrent()) return;
    }
    log.warn({ accountId }, "campaigns continue although not all gateway events could be processed");
  }

  #hold(why: Why | null): void {
    this.#held = why;
    this.#show();
  }

  #show(): void {
    const why = this.#held ?? (this.#isBehind ? "catching_up" : null);
    if (why === this.#shown) return;
    if (this.#shown) this.#deps.transport.holds?.(this.#shown, false);
    this.#shown = why;
    if (why) this.#deps.transport.holds?.(why, true);
  }
}
