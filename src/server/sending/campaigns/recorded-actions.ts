import type { AuditKind } from "../../../contract/audit.ts";
import { record } from "../../audit/service.ts";
import { inTransaction, type Owner } from "../../db/owner.ts";
import { recordCampaigns } from "../ledger/campaign-record.ts";
import { deleteCampaign } from "./campaign-archive.ts";

/** A person's change of a campaign and its audit event in one commit. */
export function recorded(
  owner: Owner,
  campaignId: number,
  kind: Extract<AuditKind, `campaign_${string}`>,
  change: (inside: Owner, campaignId: number) => Promise<void>,
  details: { cause?: string; reason?: string } = {},
): Promise<void> {
  return inTransaction(owner, async (inside) => {
    await change(inside, campaignId);
    await recordCampaigns(inside.db, kind, [campaignId], details);
  });
}

/** The name is read before it is erased. */
export function deleteRecorded(owner: Owner, campaignId: number): Promise<void> {
  return inTransaction(owner, async (inside) => {
    const name = await deleteCampaign(inside, campaignId);
    await record(inside, { kind: "campaign_deleted", subject: name, subjectId: campaignId });
  });
}
