import type { DeliveryCounts } from "./delivery.ts";

/** Stored status of a campaign; the shown one is derived by `campaignStatus`. */
export const CAMPAIGN_STATUSES = [
  "draft",
  "scheduled",
  "starting",
  "sending",
  "paused",
  "cancelled",
  "ended",
] as const;
export type CampaignStatus = (typeof CAMPAIGN_STATUSES)[number];

/** Messages that one person may get of one campaign. */
export const MAX_PARTS = 5;

export const DISPLAY_STATUSES = [
  "draft",
  "scheduled",
  "sending",
  "paused",
  "completed",
  "partially_completed",
  "failed",
  "cancelled",
] as const;
export type DisplayStatus = (typeof DISPLAY_STATUSES)[number];

export const CAMPAIGN_ACTIONS = [
  "edit",
  "undo",
  "delete",
  "pause",
  "resume",
  "confirm",
  "finish",
  "cancel",
  "resend_failures",
  "reuse",
  "archive",
  "unarchive",
] as const;
export type CampaignAction = (typeof CAMPAIGN_ACTIONS)[number];

/**
 * Why a lane of a connected connection waits, by priority: backlog unreadable or unprocessed, requested
 * pause, repeated failures without a reason.
 */
export const LANE_HOLDS = ["backlog_unread", "catching_up", "rate_limited", "not_sending"] as const;
export type LaneHold = (typeof LANE_HOLDS)[number];

/**
 * WhatsApp blocks new conversations until a known time, or until the next trial; or it blocks existing ones
 * as well.
 */
export const RESTRICTIONS = ["timelocked", "new_chats_refused", "replies_refused"] as const;
export type Restriction = (typeof RESTRICTIONS)[number];

/**
 * Why a connected connection sends no campaign messages: restrictions, which trying again prolongs; general
 * refusals; a waiting lane.
 */
export const HINDRANCES = [...RESTRICTIONS, "devices_refused", ...LANE_HOLDS] as const;

/** Stops only campaigns with an image, until WhatsApp has it. */
export const UPLOAD_HINDRANCE = "upload_failed";

/** Input of the status. `connected`: up without a hindrance; null without a connection. */
export type CampaignFacts = {
  readonly status: CampaignStatus;
  readonly cause: string | null;
  readonly connected: boolean | null;
  readonly counts: DeliveryCounts;
  /** Scheduled for the few seconds in which its start can be taken back. */
  readonly held?: boolean;
};

type Outcomes = { sent: number; errors: number; uncertain: number };
type Ending = Outcomes & { accepted: number };

export function sentCount(counts: DeliveryCounts): number {
  return counts.sent + counts.delivered + counts.read;
}

export function remainingCount(counts: DeliveryCounts): number {
  return counts.pending + counts.sending + counts.waiting;
}

/**
 * «Concluída» needs proof that WhatsApp has every message, «Falhou» that it has none; uncertain or accepted
 * messages rule out both.
 */
export function endStatus({ sent, errors, uncertain, accepted }: Ending) {
  const open = uncertain + accepted;
  if (errors === 0 && open === 0) return "completed";
  return sent === 0 && open === 0 ? "failed" : "partially_completed";
}

/**
 * Decision 10. A sending campaign on a down connection is shown, not stored, as paused: it resumes by itself.
 */
export function displayStatus({ status, connected, counts }: CampaignFacts): DisplayStatus {
  switch (status) {
    case "starting":
    case "sending":
      return connected === false ? "paused" : "sending";
    case "ended":
      return endStatus({
        sent: sentCount(counts),
        errors: counts.error,
        uncertain: counts.uncertain,
        accepted: counts.accepted,
      });
    default:
      return status;
  }
}

/** Pause reason; null when not paused. `connection`: down or limited, resumes by itself. */
export function pauseCause({ status, cause, connected }: CampaignFacts): string | null {
  if (status === "paused") return cause ?? "user";
  return (status === "sending" || status === "starting") && connected === false ? "connection" : null;
}

export const awaitsOnlyWord = (counts: DeliveryCounts): boolean =>
  remainingCount(counts) === 0 && counts.accepted > 0;

/**
 * Rules for endpoints and buttons. `resendable`: people a resend would reach. Deleting needs that no message
 * is in flight.
 */
export function campaignActions(
  { status, cause, counts, held }: Pick<CampaignFacts, "status" | "cause" | "counts" | "held">,
  resendable: number,
  archived = false,
): readonly CampaignAction[] {
  const again: CampaignAction[] = resendable > 0 ? ["resend_failures", "reuse"] : ["reuse"];
  again.push(archived ? "unarchive" : "archive");
  if (remainingCount(counts) === 0) again.push("delete");
  // Nothing left to pause or resume: a person may wait for confirmations, or finish without them.
  if ((status === "sending" || status === "paused") && awaitsOnlyWord(counts)) return ["finish"];
  switch (status) {
    case "draft":
      return ["edit", "delete", "reuse"];
    case "scheduled":
      return held ? ["undo", "cancel"] : ["edit", "cancel"];
    case "starting":
    case "sending":
      return ["pause", "cancel"];
    case "paused":
      if (cause === "missed") return ["confirm", "cancel"];
      // The connection was deleted: only «Reutilizar», after cancelling, can choose another.
      return cause === "connection_removed" ? ["cancel"] : ["resume", "cancel"];
    case "cancelled":
    case "ended":
      return again;
  }
}

/** sent ÷ (sent + errors + uncertain), 0–1; null before the first outcome. */
export function deliveryRate(outcomes: Outcomes): number | null {
  const attempts = outcomes.sent + outcomes.errors + outcomes.uncertain;
  // Settled older doubts are subtracted from today's counts, so the share may leave 0–1.
  return attempts <= 0 ? null : Math.max(0, Math.min(1, outcomes.sent / attempts));
}

/** People above which a new campaign's total is typed. */
export const TYPED_ABOVE = 200;

/** Seconds between «Criar Campanha» and the start. */
export const UNDO_S = { most: 300, default: 15 };

export const INTERVAL_MAX_S = 86_400;

export type Pace = {
  readonly intervalS: number;
  readonly extraS: number;
  readonly sharing: number;
  readonly seenS: number | null;
};

/**
 * Null if unknown. A configured pace is better than the observed one, which includes pauses; interval 0 has
 * only the observed one.
 */
export function secondsPerMessage({ intervalS, extraS, sharing, seenS }: Pace): number | null {
  const asked = (intervalS + extraS / 2) * Math.max(1, sharing);
  return asked > 0 ? asked : seenS;
}

export type Sharer = { readonly intervalS: number; readonly extraS: number; readonly remaining: number };

export function secondsInTurns(going: readonly Sharer[], seenS: number | null): number | null {
  const intervalS = Math.max(...going.map((one) => one.intervalS));
  const extraS = Math.max(...going.map((one) => one.extraS));
  return secondsPerMessage({ intervalS, extraS, sharing: going.length, seenS });
}

/** Each campaign shares the connection only while it has recipients. Null when a part's pace is unknown. */
export function secondsToEnd(own: Sharer, others: readonly Sharer[], seenS: number | null): number | null {
  const all = [own, ...others];
  // An observed pace beside a campaign with an interval is not valid without that campaign.
  const seenAlone = all.some(({ intervalS, extraS }) => intervalS + extraS > 0) ? null : seenS;
  const ends = all.map(({ remaining }) => remaining).filter((end) => end <= own.remaining);
  let seconds = 0;
  let done = 0;
  for (const end of ends.toSorted((a, b) => a - b)) {
    if (end === done) continue;
    const going = all.filter(({ remaining }) => remaining > done);
    const each = secondsInTurns(going, seenAlone);
    if (each === null) return null;
    seconds += (end - done) * each;
    done = end;
  }
  return seconds;
}

export function estimatedEnd(now: Date, remaining: number, secondsEach: number | null): Date | null {
  if (secondsEach === null) return null;
  return new Date(now.getTime() + remaining * secondsEach * 1000);
}

export const SHOWN_DELIVERIES = [
  "pending",
  "sending",
  "accepted",
  "sent",
  "delivered",
  "read",
  "error",
  "uncertain",
  "skipped",
] as const;
export type ShownDelivery = (typeof SHOWN_DELIVERIES)[number];
