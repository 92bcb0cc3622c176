import { AppError } from "../../domain/errors.ts";
import type { FairQueues } from "../jobs/fair-queue.ts";
import { textStream } from "./text-stream.ts";

export type DownloadLimits = {
  /** Downloads of one account at once: each may hold some megabytes. */
  ofAccount: number;
  /** A reader who takes nothing for so long is gone. */
  stallMs: number;
  /** A reader who has not got all of it by then is ended. */
  longestMs: number;
};

const LIMITS: DownloadLimits = { ofAccount: 10, stallMs: 60_000, longestMs: 60 * 60_000 };

/** Pages of all downloads that are read from the database at once: however many people export, screens find connections. */
const PAGES = 3;
const PAGES_OF_ACCOUNT = 2;

/** Why a download was cut; the log says it, the browser reports a failed download. */
export class SlowReader extends Error {}

/** Answers that are read from the database, or from a file, while they are sent: bounded by account, and ended when nobody takes them. */
export class Downloads {
  readonly #limits: DownloadLimits;
  readonly #pages: ReturnType<FairQueues["open"]>;
  readonly #open = new Map<string, number>();

  constructor(queues: FairQueues, limits: Partial<DownloadLimits> = {}) {
    this.#limits = { ...LIMITS, ...limits };
    this.#pages = queues.open({
      name: "exports",
      running: PAGES,
      runningOfAccount: PAGES_OF_ACCOUNT,
      waitingOfAccount: 2 * this.#limits.ofAccount,
    });
  }

  /**
   * Throws `too_many_requests` when the account has too many under way. `onOver`: called once, when it is sent, or cut, or its reader has
   * left; also when nothing of it was ever read.
   */
  send(
    accountId: string,
    chunks: AsyncGenerator<string | Uint8Array>,
    headers: Record<string, string>,
    onOver: () => void = () => undefined,
  ): Response {
    const open = this.#open.get(accountId) ?? 0;
    if (open >= this.#limits.ofAccount) throw new AppError("too_many_requests", { retryAfter: 30 });
    this.#open.set(accountId, open + 1);
    const watch = new ReaderWatch(this.#limits, () => {
      const left = (this.#open.get(accountId) ?? 1) - 1;
      if (left > 0) this.#open.set(accountId, left);
      else this.#open.delete(accountId);
      onOver();
    });
    return textStream(chunks, headers, watch);
  }

  /** Reads a page in the account's turn. It must be short: whoever waits for the reader holds no place. */
  page<T>(accountId: string, read: () => Promise<T>): Promise<T> {
    return this.#pages.run(accountId, read);
  }

  /** The same pages, each read in the account's turn. */
  async *pages<T>(accountId: string, pages: AsyncGenerator<T>): AsyncGenerator<T> {
    try {
      for (;;) {
        const { done, value } = await this.page(accountId, () => pages.next());
        if (done) return;
        yield value;
      }
    } finally {
      await pages.return(undefined);
    }
  }
}

/** Watches one reader. */
export class ReaderWatch {
  readonly #stop = new AbortController();
  readonly #stall: NodeJS.Timeout;
  readonly #deadline: NodeJS.Timeout;
  readonly #onOver: () => void;
  #taken = false;
  #isWaiting = false;
  #isOver = false;

  constructor({ stallMs, longestMs }: Pick<DownloadLimits, "stallMs" | "longestMs">, onOver: () => void) {
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
