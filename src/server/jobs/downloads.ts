import { AppError } from "../../domain/errors.ts";
import { type ReaderLimits, ReaderWatch } from "../http/reader-watch.ts";
import { textStream } from "../http/text-stream.ts";
import type { FairQueues } from "./fair-queue.ts";

export type DownloadLimits = ReaderLimits & {
  /** Each may hold some megabytes. */
  ofAccount: number;
};

const LIMITS: DownloadLimits = { ofAccount: 10, stallMs: 60_000, longestMs: 60 * 60_000 };

/** Concurrent page reads of all downloads, so that exports leave connections for screens. */
const PAGES = 3;
const PAGES_OF_ACCOUNT = 2;

/** Streamed answers, limited per account and ended when the reader stalls. */
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

  /** Throws `too_many_requests`. `onOver` is called once, also if never read. */
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

  /** Reads a page in the account's turn. Must be short; a slow reader holds no slot. */
  page<T>(accountId: string, read: () => Promise<T>): Promise<T> {
    return this.#pages.run(accountId, read);
  }

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
