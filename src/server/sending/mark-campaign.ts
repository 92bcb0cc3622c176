type Marks = { mark(accountId: string, topic: "campaigns" | "connections", id?: number): void };

/** Tells the screens that show a campaign. `life`: also those that say what its connection is doing, and what would stop with it. */
export function markCampaign(
  marks: Marks,
  { accountId, campaignId }: { accountId: string; campaignId: number },
  life = false,
): void {
  marks.mark(accountId, "campaigns", campaignId);
  if (life) marks.mark(accountId, "connections");
}
