import type { FairQueue, FairQueues } from "../jobs/fair-queue.ts";
import { type CleanImage, cleanImage } from "./images.ts";

/**
 * One at a time: a 400 KB file may take 200 MB and two seconds; more would block the thread pool that file
 * access and DNS share.
 */
const DRAWING = { running: 1, runningOfAccount: 1, waitingOfAccount: 100 };
/** Fetched files wait in memory: 8 of 16 MB are 128 MB. An address may take half a minute. */
const FETCHING = { running: 8, runningOfAccount: 4, waitingOfAccount: 100 };

export type Drawing = { side?: number; maxBytes?: number; signal?: AbortSignal };

export class PictureTurns {
  readonly #drawing: FairQueue;
  readonly #fetching: FairQueue;

  constructor(queues: FairQueues) {
    this.#drawing = queues.open({ name: "pictures", ...DRAWING });
    this.#fetching = queues.open({ name: "picture-fetches", ...FETCHING });
  }

  draw(accountId: string, file: Uint8Array | string, { signal, ...how }: Drawing = {}): Promise<CleanImage> {
    return this.#drawing.run(accountId, () => cleanImage(file, how), signal);
  }

  /** For received pictures, which would be lost if refused. */
  drawReceived(accountId: string, file: Uint8Array | string, how: Drawing = {}): Promise<CleanImage> {
    return this.#drawing.runUnrefused(accountId, () => cleanImage(file, how));
  }

  fetch<T>(accountId: string, work: () => Promise<T>): Promise<T> {
    return this.#fetching.run(accountId, work);
  }
}
