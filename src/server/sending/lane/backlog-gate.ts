import type { Logger } from "pino";
import type { Clock } from "../../../domain/clock.ts";
import type { LaneTransport } from "../../transports/transport.ts";
import type { Lane } from "./lane-deps.ts";

/** Answers what says whether everything an account's gateways had posted by now is taken in. */
export type ToldBefore = (accountId: string) => Promise<() => Promise<boolean>>;

/** The messages that a gateway keeps of the time in which it may not have told us of them. */
export type Backlog = {
  /**
   * Takes them in. True when it held messages written until `before` that the last read did not have: the gateway is still storing them.
   * Throws when it could not be read.
   */
  read(before: Date): Promise<boolean>;
};

export type OpenBacklog = (of: { accountId: string; connectionId: number }) => Backlog;

/** What the card says while campaigns wait. */
type Why = "catching_up" | "backlog_unread";

/** All in milliseconds. */
export type GateTimes = {
  /** Between two looks whether stored events are taken in. */
  poll: number;
  /**
   * How long after `open` the messages written meanwhile are given to come. WhatsApp hands them over within a second, a gateway opens and
   * stores them one by one; a real 2.3.7 had ten within two seconds.
   */
  settle: number;
  /** Before a gateway that still stores old messages is read again, and how long that goes on at most. */
  again: number;
  growing: number;
  /** Before a read that failed is repeated, the last one again and again. */
  retry: readonly number[];
  /** So long a backlog may be unreadable before the card says so. */
  unread: number;
  /** What cannot be read or taken in by then is not waited for: other people's messages must not wait for ever. */
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
  told?: ToldBefore | undefined;
  /** Absent where the transport is ready only once it has told of everything, as devices are. */
  openBacklog?: OpenBacklog | undefined;
  clock: Clock;
  wait: (ms: number) => Promise<unknown>;
  log: Logger;
  times: GateTimes;
  /** The lane that waits; undefined before it runs and once it is gone. */
  lane(): Pick<Lane, "wake" | "missed"> | undefined;
  transport: Pick<LaneTransport, "holds" | "ready" | "onReady" | "onInterrupted" | "look">;
};

/**
 * Holds campaigns of a connection until it is known who has asked to leave: when a lane begins, and after every time in which messages
 * may have been written that did not reach us. Single messages pass: a person has just decided to send them.
 */
export class BacklogGate {
  readonly #deps: GateDeps;
  readonly #unsubscribe: (() => void)[];
  #ready: boolean;
  #isOpen = false;
  #isBehind = false;
  /** The wait that counts: another interruption begins a new one. */
  #round = 0;
  /** Kept over the rounds of one hold, so that a flapping session does not have everything read again each time. */
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

  /** Events of the account's gateways wait for too long to be read, or do no longer: among them may be who leaves. */
  behind(is: boolean): void {
    if (is === this.#isBehind) return;
    this.#isBehind = is;
    this.#show();
    if (is) this.#deps.lane()?.missed();
    else this.#deps.lane()?.wake();
  }

  /** Something may have been missed: those in hand go back, and are handed out again only when they still may be. */
  closeAgain(): void {
    this.#round += 1;
    if (this.#isOpen) {
      this.#isOpen = false;
      this.#deps.lane()?.missed();
    }
    if (this.#ready) this.#begin();
  }

  /** The lane is gone: nothing is asked any more. */
  end(): void {
    this.#round += 1;
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
  }

  #onReady(): void {
    const ready = this.#deps.transport.ready();
    // Listeners are also called when a stop ends early.
    if (ready === this.#ready) return;
    this.#ready = ready;
    this.closeAgain();
  }

  #begin(): void {
    const round = this.#round;
    void this.#pass(() => round === this.#round);
  }

  async #pass(isCurrent: () => boolean): Promise<void> {
    const { openBacklog, told, accountId, connectionId } = this.#deps;
    if (openBacklog) {
      this.#backlog ??= openBacklog({ accountId, connectionId });
      await this.#readBacklog(this.#backlog, isCurrent);
    }
    if (told && isCurrent()) await this.#waitUntilTakenIn(told, isCurrent);
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

  /** Reads until it works, or until it has been tried for long enough. */
  async #readOnce(backlog: Backlog, before: Date, isCurrent: () => boolean): Promise<boolean | "unreadable"> {
    const { clock, wait, times, log, connectionId, transport } = this.#deps;
    const begun = clock.monotonic();
    for (let failures = 0; isCurrent(); failures += 1) {
      try {
        const grew = await backlog.read(before);
        if (isCurrent()) this.#hold("catching_up");
        return grew;
      } catch (error) {
        log.info({ err: error, connectionId }, "what was written meanwhile could not be read");
      }
      if (!isCurrent()) break;
      // While nothing is sent, nothing else would notice that the gateway is away.
      transport.look?.();
      const failing = clock.monotonic() - begun;
      if (failing >= times.most) {
        log.warn({ connectionId }, "campaigns go on, though what was written meanwhile could not be read");
        return "unreadable";
      }
      if (failing >= times.unread) this.#hold("backlog_unread");
      await wait(times.retry[Math.min(failures, times.retry.length - 1)] ?? times.poll);
    }
    return "unreadable";
  }

  async #waitUntilTakenIn(told: ToldBefore, isCurrent: () => boolean): Promise<void> {
    const { accountId, clock, wait, times, log } = this.#deps;
    const end = clock.monotonic() + times.most;
    let isIn: (() => Promise<boolean>) | null = null;
    while (clock.monotonic() < end) {
      try {
        isIn ??= await told(accountId);
        if (await isIn()) return;
        if (isCurrent()) this.#hold("catching_up");
      } catch (error) {
        log.debug({ err: error }, "what waits to be taken in is not known yet");
      }
      if (isCurrent()) await wait(times.poll);
      if (!isCurrent()) return;
    }
    log.warn({ accountId }, "campaigns go on, though not all that gateways told could be taken in");
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
