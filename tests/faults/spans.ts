/** Longest way from the plan's permission to WhatsApp. */
export const ON_ITS_WAY_MS = 1_000;

type Span<T> = { from: number; until: number; what: T };

/** What held when, in real time; during a change either may. */
export class Spans<T> {
  readonly #real: () => number;
  readonly #all: Span<T>[];

  constructor(first: T, real: () => number = Date.now) {
    this.#real = real;
    this.#all = [{ from: Number.NEGATIVE_INFINITY, until: Number.POSITIVE_INFINITY, what: first }];
  }

  last(): T {
    const last = this.#all.at(-1);
    if (!last) throw new Error("there is always one");
    return last.what;
  }

  async change(what: T, act: () => Promise<unknown>): Promise<void> {
    const before = this.#all.at(-1);
    this.#all.push({ from: this.#real(), until: Number.POSITIVE_INFINITY, what });
    await act();
    if (before) before.until = this.#real();
  }

  /** When a message may have been let go that arrived at a real time. */
  before(real: number): Span<T>[] {
    const [first, last] = [real - ON_ITS_WAY_MS, real];
    return this.#all.flatMap(({ from, until, what }) =>
      from > last || until < first
        ? []
        : [{ from: Math.max(from, first), until: Math.min(until, last), what }],
    );
  }
}
