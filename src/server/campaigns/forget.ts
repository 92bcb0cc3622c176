import type { Clock } from "../../domain/clock.ts";
import type { Db } from "../db/client.ts";
import { upkeepOf } from "../sending/sending.ts";

/** A commit takes hundredths of a second, so others never wait long. */
const BATCH = 5_000;
/** The job runs every minute and must end before that. */
const JOB_MS = 50_000;

export async function pruneCampaigns(db: Db, clock: Pick<Clock, "monotonic">): Promise<void> {
  const untilMs = clock.monotonic() + JOB_MS;
  await upkeepOf(db).deletePeople(BATCH, () => clock.monotonic() > untilMs);
}
