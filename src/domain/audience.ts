export const SOURCES_MOST = 20;
/** 30 days. */
export const TALKED_HOURS_MOST = 720;
export const UNANSWERED_MOST = 20;
export const WEEKLY_MOST = 20;

/** Who is left out of a campaign. */
export type Without = {
  listIds: number[];
  /** Who got one of these, or waits to get it. */
  campaignIds: number[];
  /** Who wrote to us, or was answered by a human, in these last hours. */
  talkedHours: number | null;
  /** Who got this many campaigns since they last wrote. */
  unanswered: number | null;
  landLines?: boolean | undefined;
};

/** Beside the campaign's list; each person counts once. */
export type Audience = { listIds: number[]; segmentIds: number[]; without: Without };

const NONE: Without = { listIds: [], campaignIds: [], talkedHours: null, unanswered: null };

export const EVERYONE: Audience = { listIds: [], segmentIds: [], without: NONE };

/** Null: the campaign's list alone. */
export function normalizeAudience(audience: Audience | null, listId: number | null): Audience | null {
  if (audience === null) return null;
  const { listIds, segmentIds, without } = audience;
  const further = unique(listIds).filter((id) => id !== listId);
  const ids = [...further, ...segmentIds, ...without.listIds, ...without.campaignIds];
  const { talkedHours, unanswered, landLines = false } = without;
  if (ids.length === 0 && talkedHours === null && unanswered === null && !landLines) return null;
  return {
    listIds: further,
    segmentIds: unique(segmentIds),
    without: { ...without, listIds: unique(without.listIds), campaignIds: unique(without.campaignIds) },
  };
}

/** `listIds` begin with the campaign's list, or a start would not see that it was deleted. */
export function storedAudience(audience: Audience | null, listId: number | null): Audience | null {
  const kept = normalizeAudience(audience, listId);
  return kept && listId !== null ? { ...kept, listIds: [listId, ...kept.listIds] } : kept;
}

const unique = (ids: readonly number[]) => [...new Set(ids)];

export const hasSources = (listId: number | null, audience: Audience | null): boolean =>
  listId !== null || (audience !== null && audience.listIds.length + audience.segmentIds.length > 0);

/** Why a start left a person out; a code in `delivery.error`. The first that applies. */
export const LEFT_OUT_REASONS = [
  "excluded_list",
  "got_campaign",
  "in_conversation",
  "never_answers",
  "weekly_limit",
  "known_absent",
  "land_line",
] as const;
export type LeftOutReason = (typeof LEFT_OUT_REASONS)[number];
