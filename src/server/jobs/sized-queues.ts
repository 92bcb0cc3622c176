import type { FairQueue, FairQueueOptions, FairQueues } from "./fair-queue.ts";

export const SMALL_BYTES = 1024 * 1024;

/** Slots reserved for small tasks, so that three rows do not wait behind another account's million. */
export type SizedQueues = { small: FairQueue; large: FairQueue };

export function openSizedQueues(queues: FairQueues, options: FairQueueOptions): SizedQueues {
  return {
    small: queues.open({ ...options, name: `${options.name}_small` }),
    large: queues.open({ ...options, name: `${options.name}_large` }),
  };
}
