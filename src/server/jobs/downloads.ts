import { AppError } from "../../domain/errors.ts";
import { type ReaderLimits, ReaderWatch } from "../http/reader-watch.ts";
import { textStream } from "../http/text-stream.ts";
import type { FairQueues } from "./fair-queue.ts";

export type DownloadLimits = ReaderLimits & {
  /** Downloads of one account at once: each may hold some megabytes. */
  ofAccount: number;
};

const LIMITS: DownloadLimits = { ofAccount: 10, stallMs: 60_000, longestMs: 60 * 60_000 };

/** Pages of all downloads that are read from the database at once: however many people export, screens find connections. */
const PAGES = 3;
const PAGES_OF_ACCOUNT = 2;

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

  /** Reads a page in the account's turn. It must be short: what waits for the reader holds no place. */
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
