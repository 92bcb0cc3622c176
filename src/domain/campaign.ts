import type { DeliveryCounts } from "./delivery.ts";

/** What is stored about a campaign's course (`campaign.life`); what people read is derived from it, see `campaignStatus`. */
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

/** What a campaign is called on the screen, in the order of the filter. */
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

/** What a person may do with a campaign. */
export const CAMPAIGN_ACTIONS = [
  "edit",
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
 * What a lane waits for although its connection is connected, the one to be said first: what was written while it was away cannot be read,
 * or is not taken in yet; a pause was asked for; try after try nothing leaves, and nobody says why.
 */
export const LANE_HOLDS = ["backlog_unread", "catching_up", "rate_limited", "not_sending"] as const;
export type LaneHold = (typeof LANE_HOLDS)[number];

/**
 * WhatsApp lets a number begin no conversations: until a time that it named; until a time at which the next one is tried; or it refuses
 * people with a conversation as well, and nothing is sent.
 */
export const RESTRICTIONS = ["timelocked", "new_chats_refused", "replies_refused"] as const;
export type Restriction = (typeof RESTRICTIONS)[number];

/**
 * Why a connection that is connected writes to nobody of a campaign all the same, as causes of connections: WhatsApp lets its number begin
 * no conversations, and a message that is tried makes that last longer; or it refuses what is written, whoever it is for; or its lane waits.
 */
export const HINDRANCES = [...RESTRICTIONS, "devices_refused", ...LANE_HOLDS] as const;

/** The one that holds up campaigns with an image alone, until WhatsApp has theirs. */
export const IMAGE_HINDRANCE = "upload_failed";

/** All that a campaign's status follows from. `connected`: its connection is up, and nothing above holds it up; null while it has none. */
export type CampaignFacts = {
  readonly status: CampaignStatus;
  readonly cause: string | null;
  readonly connected: boolean | null;
  readonly counts: DeliveryCounts;
};

type Outcomes = { sent: number; errors: number; uncertain: number };
/** `accepted`: a gateway took their message and WhatsApp has not confirmed it. */
type Ending = Outcomes & { accepted: number };

/** People the transport took: sent, whether or not a receipt has said more since (decision 11). */
export function sentCount(counts: DeliveryCounts): number {
  return counts.sent + counts.delivered + counts.read;
}

/** People still to be sent to. */
export function remainingCount(counts: DeliveryCounts): number {
  return counts.pending + counts.sending + counts.waiting;
}

/**
 * What a campaign is called that has ended. «Concluída» needs proof that WhatsApp has every message, «Falhou» that it has none: a person
 * in doubt or only accepted rules both out.
 */
export function endStatus({ sent, errors, uncertain, accepted }: Ending) {
  const open = uncertain + accepted;
  if (errors === 0 && open === 0) return "completed";
  return sent === 0 && open === 0 ? "failed" : "partially_completed";
}

/**
 * What the campaign is called now (decision 10). One that is sending over a connection that is down, or hindered, is shown paused although
 * nothing about it is stored: it goes on by itself.
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

/** Why a campaign is shown paused, as a code; null when it is not. `connection`: its connection is down or hindered, and it goes on by itself. */
export function pauseCause({ status, cause, connected }: CampaignFacts): string | null {
  if (status === "paused") return cause ?? "user";
  return (status === "sending" || status === "starting") && connected === false ? "connection" : null;
}

/** Everybody was sent to, and all that is awaited is WhatsApp's word on messages that a gateway took. */
export const awaitsOnlyWord = (counts: DeliveryCounts): boolean =>
  remainingCount(counts) === 0 && counts.accepted > 0;

/**
 * What may be done with a campaign now; the same rule guards the endpoints and decides which buttons there are. `resendable`: people whom
 * a resend of its failures would reach, which those of its resends before it have made fewer than its errors. Deleted can be what nothing
 * of is on its way any more.
 */
export function campaignActions(
  { status, cause, counts }: Pick<CampaignFacts, "status" | "cause" | "counts">,
  resendable: number,
  archived = false,
): readonly CampaignAction[] {
  const again: CampaignAction[] = resendable > 0 ? ["resend_failures", "reuse"] : ["reuse"];
  again.push(archived ? "unarchive" : "archive");
  if (remainingCount(counts) === 0) again.push("delete");
  // Nothing is left to pause or to go on with: a person may wait for the word, or close it without.
  if ((status === "sending" || status === "paused") && awaitsOnlyWord(counts)) return ["finish"];
  switch (status) {
    case "draft":
      return ["edit", "delete", "reuse"];
    case "scheduled":
      return ["edit", "cancel"];
    case "starting":
    case "sending":
      return ["pause", "cancel"];
    case "paused":
      if (cause === "missed") return ["confirm", "cancel"];
      // What it was to go through is gone for good: only «Reutilizar», once it is cancelled, takes another connection.
      return cause === "connection_removed" ? ["cancel"] : ["resume", "cancel"];
    case "cancelled":
    case "ended":
      return again;
  }
}

/** Share of the attempts that went out, 0–1: sent ÷ (sent + errors + to verify); null before the first outcome. */
export function deliveryRate(outcomes: Outcomes): number | null {
  const attempts = outcomes.sent + outcomes.errors + outcomes.uncertain;
  // On a day on which doubts of another were settled these are taken back: less than nothing, or fewer than were sent.
  return attempts <= 0 ? null : Math.max(0, Math.min(1, outcomes.sent / attempts));
}

/** The longest interval between two messages, and the most that is added to it by chance, in seconds. */
export const INTERVAL_MAX_S = 86_400;

/** How fast a campaign goes: the figures it was asked to keep, who it shares its connection with, and what was seen lately. */
export type Pace = {
  /** Largest interval among the campaigns that are sending over the same connection, in seconds. */
  readonly intervalS: number;
  /** Largest random extra among them; on average half of it is added. */
  readonly extraS: number;
  /** Campaigns sending over the same connection, this one included: they take turns. */
  readonly sharing: number;
  /** Seconds between two messages as seen on the latest day; null without two messages. */
  readonly seenS: number | null;
};

/**
 * Seconds between two messages of one campaign, null when nothing is known. A pace that was asked for says more than what was seen,
 * which holds every pause in it; without one (interval 0) the connection's own speed decides, and only what was seen tells it.
 */
export function secondsPerMessage({ intervalS, extraS, sharing, seenS }: Pace): number | null {
  const asked = (intervalS + extraS / 2) * Math.max(1, sharing);
  return asked > 0 ? asked : seenS;
}

/** A campaign on its way over a connection: the pace it was asked to keep, and its people whose outcome is open. */
export type Sharer = { readonly intervalS: number; readonly extraS: number; readonly remaining: number };

/** `secondsPerMessage` of each of the campaigns that take turns over a connection now. */
export function secondsInTurns(going: readonly Sharer[], seenS: number | null): number | null {
  const intervalS = Math.max(...going.map((one) => one.intervalS));
  const extraS = Math.max(...going.map((one) => one.extraS));
  return secondsPerMessage({ intervalS, extraS, sharing: going.length, seenS });
}

/**
 * Seconds until a campaign that takes turns with the `others` of its connection is done. Each of them goes on only for as long as it has
 * people, and asks for its interval as long. Null when a part of the way goes at a pace that is not known.
 */
export function secondsToEnd(own: Sharer, others: readonly Sharer[], seenS: number | null): number | null {
  const all = [own, ...others];
  // Seen beside one that asks for an interval, which holds up all of them, it says nothing of how they go without it.
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

/** When the last of `remaining` people will have got the message; null when the pace is not known. */
export function estimatedEnd(now: Date, remaining: number, secondsEach: number | null): Date | null {
  if (secondsEach === null) return null;
  return new Date(now.getTime() + remaining * secondsEach * 1000);
}

/** What a person's state is called on the screen: waiting to be tried again is «Pendente». */
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
