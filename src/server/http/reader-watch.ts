export type ReaderLimits = {
  /** Maximum pause of a reader. */
  stallMs: number;
  /** Maximum total time. */
  longestMs: number;
};

/** Logged; browsers report a failed download. */
export class SlowReader extends Error {}

export class ReaderWatch {
  readonly #stop = new AbortController();
  readonly #stall: NodeJS.Timeout;
  readonly #deadline: NodeJS.Timeout;
  readonly #onOver: () => void;
  #taken = false;
  #isWaiting = false;
  #isOver = false;

  constructor({ stallMs, longestMs }: ReaderLimits, onOver: () => void) {
    this.#onOver = onOver;
    this.#stall = setInterval(() => {
      if (!this.#taken && !this.#isWaiting)
        this.#stop.abort(new SlowReader("nothing is taken of a download"));
      this.#taken = false;
    }, stallMs).unref();
    this.#deadline = setTimeout(
      () => this.#stop.abort(new SlowReader("a download takes too long")),
      longestMs,
    ).unref();
  }

  get cut(): AbortSignal {
    return this.#stop.signal;
  }

  /** From now until `gave`, the delay is ours. */
  asked(): void {
    this.#taken = true;
    this.#isWaiting = true;
  }

  gave(): void {
    this.#isWaiting = false;
  }

  over(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearInterval(this.#stall);
    clearTimeout(this.#deadline);
    this.#onOver();
  }
}
