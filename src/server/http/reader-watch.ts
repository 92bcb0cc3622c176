export type ReaderLimits = {
  /** A reader who takes nothing for so long is gone. */
  stallMs: number;
  /** A reader who has not got all of it by then is ended. */
  longestMs: number;
};

/** Why a download was cut; the log says it, the browser reports a failed download. */
export class SlowReader extends Error {}

/** Watches one reader. */
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

  /** Aborted when the reader is to be cut off. */
  get cut(): AbortSignal {
    return this.#stop.signal;
  }

  /** The reader asks for more; until `gave`, it is we who keep it waiting. */
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
