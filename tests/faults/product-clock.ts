import type { Installation } from "./installation.ts";
import { Spans } from "./spans.ts";

export class ProductClock {
  readonly #at: Pick<Installation, "shiftClock">;
  readonly #real: () => number;
  readonly #shifts: Spans<number>;

  constructor(at: Pick<Installation, "shiftClock">, real: () => number = Date.now) {
    this.#at = at;
    this.#real = real;
    this.#shifts = new Spans(0, real);
  }

  now(): number {
    return this.#real() + this.#shifts.last();
  }

  put(wall: number): Promise<void> {
    return this.#shift(Math.round(wall - this.#real()));
  }

  putRight(): Promise<void> {
    return this.#shift(0);
  }

  #shift(shift: number): Promise<void> {
    return this.#shifts.change(shift, () => this.#at.shiftClock(shift));
  }

  timesBefore(real: number): number[] {
    return this.#shifts.before(real).flatMap(({ from, until, what }) => [from + what, until + what]);
  }
}
