import type { Clock } from "../../domain/clock.ts";
import type { Db } from "../db/client.ts";
import { deletePeopleOfDeleted } from "../sending/campaigns/campaign-archive.ts";

/** Rows a commit: some hundredths of a second, in which nothing else waits for long. */
const BATCH = 5_000;
/** The job comes again after a minute, and ends before it does. */
const JOB_MS = 50_000;

/** Takes the people of deleted campaigns away, as many as fit into the time of a job. */
export async function forgetCampaigns(db: Db, clock: Pick<Clock, "monotonic">): Promise<void> {
  const untilMs = clock.monotonic() + JOB_MS;
  await deletePeopleOfDeleted(db, BATCH, () => clock.monotonic() > untilMs);
}
