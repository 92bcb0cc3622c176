import type { FairQueue, FairQueues } from "../jobs/fair-queue.ts";
import { type CleanImage, cleanImage } from "./images.ts";

/**
 * One picture at a time: a file of 400 KB may take 200 MB and two seconds to draw, and with one in each of the few threads that files and
 * names share, a handful would take a gigabyte and leave no thread for anything else.
 */
const DRAWING = { running: 1, runningOfAccount: 1, waitingOfAccount: 100 };
/** A fetched picture is in memory until it is drawn: 24 of 5 MB are 120 MB. An address may take half a minute to answer. */
const FETCHING = { running: 24, runningOfAccount: 4, waitingOfAccount: 100 };

/** `side`: the longest, in pixels. `signal`: aborted when the picture is not wanted any more. */
export type Drawing = { side?: number; maxBytes?: number; signal?: AbortSignal };

/** The turns of accounts in which pictures are fetched and drawn in this process. */
export class PictureTurns {
  readonly #drawing: FairQueue;
  readonly #fetching: FairQueue;

  constructor(queues: FairQueues) {
    this.#drawing = queues.open({ name: "pictures", ...DRAWING });
    this.#fetching = queues.open({ name: "picture-fetches", ...FETCHING });
  }

  /** As `cleanImage`; `too_many_requests` when too many of the account's wait. */
  draw(accountId: string, file: Uint8Array | string, { signal, ...how }: Drawing = {}): Promise<CleanImage> {
    return this.#drawing.run(accountId, () => cleanImage(file, how), signal);
  }

  /** The same for a picture that was sent to us and would be lost. */
  drawReceived(accountId: string, file: Uint8Array, how: Drawing = {}): Promise<CleanImage> {
    return this.#drawing.runUnrefused(accountId, () => cleanImage(file, how));
  }

  /** Fetches and draws in a turn: what is fetched waits in memory. */
  fetch<T>(accountId: string, work: () => Promise<T>): Promise<T> {
    return this.#fetching.run(accountId, work);
  }
}
