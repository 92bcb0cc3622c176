import { systemClock } from "../../src/server/base/clock.ts";
import type { Database } from "../../src/server/db/client.ts";
import { FairQueues } from "../../src/server/jobs/fair-queue.ts";
import { CampaignClock, type CampaignClockDeps } from "../../src/server/sending/campaigns/campaign-clock.ts";

/** One look at everything that campaigns wait for, until all that it found is done. Throws the first failure in the end. */
export async function tickCampaigns(
  database: Database,
  changed: CampaignClockDeps["changed"],
  analyzeWaitMs?: number,
): Promise<void> {
  const failures: unknown[] = [];
  const clock = new CampaignClock({
    ...{ database, changed, queues: new FairQueues(systemClock) },
    ...(analyzeWaitMs === undefined ? {} : { analyzeWaitMs }),
    failed: (error) => failures.push(error),
  });
  clock.look();
  await clock.idle();
  if (failures.length > 0) throw failures[0];
}
