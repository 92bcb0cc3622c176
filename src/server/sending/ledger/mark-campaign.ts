import { sql } from "kysely";
import type { Db } from "../../db/client.ts";

type Marks = { mark(accountId: string, topic: "campaigns" | "connections", id?: number): void };
type One = { accountId: string; campaignId: number };

/** Tells the screens that show a campaign. `life`: also those that say what its connection is doing, and what would stop with it. */
export function publishCampaign(marks: Marks, { accountId, campaignId }: One, status = false): void {
  marks.mark(accountId, "campaigns", campaignId);
  if (status) marks.mark(accountId, "connections");
}

/** Far longer than it takes from a campaign's end until it is told here. */
const JUST_ENDED = sql`interval '1 minute'`;

/** As `markCampaign`, of campaigns whose people moved without a turn: by what became of the last of them some may be over. */
export async function publishMoved(db: Db, marks: Marks, moved: readonly One[]): Promise<void> {
  for (const one of moved) publishCampaign(marks, one);
  if (moved.length === 0) return;
  const { rows } = await sql<{ accountId: string }>`select distinct account_id as "accountId" from campaign
    where id = any(${moved.map((one) => one.campaignId)}::bigint[]) and status = 'ended' and ended_at > now() - ${JUST_ENDED}`.execute(
    db,
  );
  for (const { accountId } of rows) marks.mark(accountId, "connections");
}
