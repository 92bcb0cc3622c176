import type { FairQueue, FairQueueOptions, FairQueues } from "./fair-queue.ts";

/** Up to this size a piece of work is over in a moment: some 25,000 rows of a file. */
export const SMALL_BYTES = 1024 * 1024;

/** Places for small pieces that large ones cannot take, so that three people never wait behind a million of another account. */
export type SizedQueues = { small: FairQueue; large: FairQueue };

export function openSizedQueues(queues: FairQueues, options: FairQueueOptions): SizedQueues {
  return {
    small: queues.open({ ...options, name: `${options.name}_small` }),
    large: queues.open({ ...options, name: `${options.name}_large` }),
  };
}
