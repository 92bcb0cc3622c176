import type { Clock } from "../../../domain/clock.ts";

type PollerDeps = {
  clock: Clock;
  after: (ms: number, call: () => void) => () => void;
  timing: { pokeMs: number };
};

/** One poll at a time; each returns the delay of the next, in ms. */
export class Poller {
  readonly #deps: PollerDeps;
  readonly #poll: () => Promise<number>;
  #running = false;
  /** The running poll may have begun too early to see the change. */
  #again = false;
  #closed = false;
  #begunAt = Number.NEGATIVE_INFINITY;
  #earliest = Number.NEGATIVE_INFINITY;
  #dueAt = Number.POSITIVE_INFINITY;
  #callOff: () => void = () => undefined;

  constructor(deps: PollerDeps, poll: () => Promise<number>) {
    this.#deps = deps;
    this.#poll = poll;
  }

  get isClosed(): boolean {
    return this.#closed;
  }

  now(): void {
    this.#earliest = Number.NEGATIVE_INFINITY;
    if (this.#running) this.#again = true;
    else this.#schedule(0);
  }

  /** At least `pokeMs` after the last one began. */
  soon(): void {
    const { clock, timing } = this.#deps;
    if (this.#running) this.#again = true;
    else this.#schedule(Math.max(0, this.#begunAt + timing.pokeMs - clock.monotonic()));
  }

  notBefore(ms: number): void {
    this.#earliest = this.#deps.clock.monotonic() + ms;
    this.#callOff();
    this.#dueAt = Number.POSITIVE_INFINITY;
    if (this.#running) this.#again = true;
    else this.#schedule(ms);
  }

  close(): void {
    this.#closed = true;
    this.#callOff();
  }

  #schedule(ms: number): void {
    const { clock, after } = this.#deps;
    const at = Math.max(clock.monotonic() + ms, this.#earliest);
    if (this.#closed || at >= this.#dueAt) return;
    this.#callOff();
    this.#dueAt = at;
    this.#callOff = after(Math.max(0, at - clock.monotonic()), () => void this.#run());
  }

  async #run(): Promise<void> {
    this.#dueAt = Number.POSITIVE_INFINITY;
    if (this.#closed) return;
    this.#running = true;
    this.#begunAt = this.#deps.clock.monotonic();
    const next = await this.#poll();
    this.#running = false;
    this.#schedule(next);
    if (this.#again) this.soon();
    this.#again = false;
  }
}
