import { sql } from "kysely";
import type { AuditKind } from "../../../contract/audit.ts";
import { record } from "../../audit/service.ts";
import type { Db } from "../../db/client.ts";
import { ownerOf } from "../../db/owner.ts";

/** Logged in the transaction of the action; `why`: pause reason as the card shows it. */
export async function recordCampaigns(
  tx: Db,
  kind: Extract<AuditKind, `campaign_${string}`>,
  campaignIds: readonly number[],
  why: string | { cause?: string; reason?: string } = {},
): Promise<void> {
  if (campaignIds.length === 0) return;
  const details = typeof why === "string" ? { cause: why } : why;
  const { rows } = await sql<{ id: number; name: string; accountId: string }>`
    select id, name, account_id as "accountId" from campaign where id = any(${campaignIds}::bigint[]) order by id`.execute(
    tx,
  );
  for (const { id, name, accountId } of rows)
    await record(ownerOf(tx, accountId), {
      kind,
      subject: name,
      subjectId: id,
      ...(Object.keys(details).length === 0 ? {} : { details }),
    });
}
