import { systemClock } from "../../src/server/base/clock.ts";
import type { Database } from "../../src/server/db/client.ts";
import { FairQueues } from "../../src/server/jobs/fair-queue.ts";
import { CampaignClock, type CampaignClockDeps } from "../../src/server/sending/campaigns/campaign-clock.ts";

/** Throws the first error at the end. */
export async function tickCampaigns(
  database: Database,
  changed: CampaignClockDeps["changed"],
  analyzeWaitMs?: number,
): Promise<void> {
  const failures: unknown[] = [];
  const clock = new CampaignClock({
    database,
    changed,
    queues: new FairQueues(systemClock),
    ...(analyzeWaitMs === undefined ? {} : { analyzeWaitMs }),
    failed: (error) => failures.push(error),
  });
  clock.look();
  await clock.idle();
  if (failures.length > 0) throw failures[0];
}
