import { sql } from "kysely";
import type { Db } from "../../db/client.ts";
import { publishCampaign } from "../../db/live-updates.ts";

type Marks = { mark(accountId: string, topic: "campaigns" | "connections", id?: number): void };
type One = { accountId: string; campaignId: number };

const JUST_ENDED = sql`interval '1 minute'`;

/** For people moved without a turn: the last one may have ended the campaign. */
export async function publishMoved(db: Db, marks: Marks, moved: readonly One[]): Promise<void> {
  for (const one of moved) publishCampaign(marks, one);
  if (moved.length === 0) return;
  const { rows } = await sql<{ accountId: string }>`select distinct account_id as "accountId" from campaign
    where id = any(${moved.map((one) => one.campaignId)}::bigint[]) and status = 'ended' and ended_at > now() - ${JUST_ENDED}`.execute(
    db,
  );
  for (const { accountId } of rows) marks.mark(accountId, "connections");
}
