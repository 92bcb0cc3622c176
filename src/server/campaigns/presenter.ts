import type { Campaign, CampaignSummary } from "../../contract/campaigns.ts";
import { breakerFailure, CANARY_PEOPLE } from "../../domain/breaker.ts";
import {
  type CampaignFacts,
  campaignActions,
  DISPLAY_STATUSES,
  type DisplayStatus,
  deliveryRate,
  displayStatus,
  pauseCause,
  remainingCount,
  type Sharer,
  secondsInTurns,
  secondsToEnd,
  sentCount,
} from "../../domain/campaign.ts";
import { pickFields } from "../../domain/campaign-fields.ts";
import type { DeliveryCounts } from "../../domain/delivery.ts";
import { remainingQuota } from "../../domain/new-chats.ts";
import { forecast } from "../../domain/plan-forecast.ts";
import { planState } from "../../domain/plan-hours.ts";
import type { CampaignPlanUse } from "../sending/sending.ts";
import type { CampaignRow } from "./repo.ts";

const SHOWN_DAYS = 60;
const FORECAST_DAYS = 14;

const iso = (at: Date | null) => at?.toISOString() ?? null;

function countsOf(row: CampaignRow): DeliveryCounts {
  const { pending, sending, waiting, skipped, uncertain, error, accepted, sent, delivered, read } = row;
  return { pending, sending, waiting, skipped, uncertain, error, accepted, sent, delivered, read };
}

export function factsOf(row: CampaignRow): CampaignFacts {
  const { status, cause, connected } = row;
  const held = status === "scheduled" && row.scheduledWall === null;
  return { status, cause, connected, counts: countsOf(row), held };
}

/** Read from people's rows. */
export type Failures = { lines: string[]; resendable: number; unfinished: number };

export function toCampaign(row: CampaignRow, failures: Failures, now: Date): Campaign {
  const facts = factsOf(row);
  const { counts } = facts;
  const status = displayStatus(facts);
  const outcomes = { sent: sentCount(counts), errors: counts.error, uncertain: counts.uncertain };
  const confirmed = counts.delivered + counts.read;
  const attempts = outcomes.sent + outcomes.errors + outcomes.uncertain;
  const started = row.startedAt !== null;
  return {
    id: row.id,
    ...pickFields("shown", row),
    audience: furtherSources(row),
    variables: row.variables.map(({ key, fallback }) => ({ key, fallback })),
    status,
    actions: [...campaignActions(facts, failures.resendable, row.archivedAt !== null)],
    ...causeOf(row, facts),
    canary: status === "sending" ? canaryOf(row, now) : null,
    attachment: row.attachment,
    moreAttachments: row.moreAttachments,
    people: peopleOf(row),
    schedule:
      row.scheduledWall === null ? { kind: "now" } : { kind: "at", wall: row.scheduledWall, zone: row.zone },
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
    scheduledAt: iso(row.scheduledAt),
    startedAt: iso(row.startedAt),
    endedAt: iso(row.endedAt),
    archivedAt: iso(row.archivedAt),
    date: shownDate(row).toISOString(),
    // A missed or then cancelled start is not late: it never happened.
    late: row.late && (started || row.status === "starting"),
    started,
    counts: {
      total: row.total,
      ...outcomes,
      confirmed,
      read: counts.read,
      accepted: counts.accepted,
      skipped: counts.skipped,
      remaining: remainingCount(counts),
      states: counts,
    },
    rate: deliveryRate(outcomes),
    confirmedRate: attempts === 0 ? null : confirmed / attempts,
    progress: progressOf(row, facts, status, now),
    failureLines: failures.lines,
    failureTotal: counts.error,
    resendable: failures.resendable,
    unfinished: failures.unfinished,
    resendsId: row.resendsId,
  };
}

/** Start, else scheduled start, else last save. */
export function shownDate(row: CampaignRow): Date {
  return row.startedAt ?? row.scheduledAt ?? row.updatedAt;
}

function furtherSources({ audience, listId }: CampaignRow): CampaignRow["audience"] {
  return audience && { ...audience, listIds: audience.listIds.filter((id) => id !== listId) };
}

/** Of a resend, and of several lists or segments, the number is known at the start. */
function peopleOf({ startedAt, total, resendsId, audience, listContacts }: CampaignRow): number | null {
  if (startedAt !== null) return total;
  return resendsId === null && audience === null ? listContacts : null;
}

function causeOf(row: CampaignRow, facts: CampaignFacts) {
  const cause = pauseCause(facts);
  const failure = breakerFailure(cause);
  const breaker = failure && row.breaker && { failure, ...row.breaker };
  if (cause !== "connection")
    return { cause, breaker, connectionCause: null, causeSince: null, causeUntil: null };
  return {
    cause,
    breaker,
    connectionCause: row.connectionCause,
    causeSince: iso(row.connectionSince),
    causeUntil: iso(row.connectionCauseUntil),
  };
}

function progressOf(
  row: CampaignRow,
  { counts }: CampaignFacts,
  status: DisplayStatus,
  now: Date,
): Campaign["progress"] {
  if (row.startedAt === null || (status !== "sending" && status !== "paused")) return null;
  const remaining = remainingCount(counts);
  const done = row.total - remaining - counts.accepted;
  const awaits = status === "sending" ? awaitedOf(row, remaining, now) : null;
  // A computed pace or end would be in the past.
  if (awaits) return { done, perMinute: null, endsAt: null, awaits, plan: null };
  if (status === "sending" && row.planned)
    return { done, perMinute: null, awaits: null, ...plannedOf(row.planned, row, now) };
  const own = { intervalS: row.intervalS, extraS: row.extraS, remaining };
  const others = othersOf(row);
  const each = status === "sending" ? secondsInTurns([own, ...others], row.seenS) : null;
  const left = status === "sending" ? secondsToEnd(own, others, row.seenS) : null;
  return {
    done,
    perMinute: each === null || each === 0 ? null : (60 / each) * row.parts,
    endsAt: iso(left === null ? null : new Date(now.getTime() + left * 1_000)),
    awaits: null,
    plan: null,
  };
}

const average = (intervalS: number, extraS: number) => (intervalS + extraS / 2) * 1_000;

/** The end by the number's plan. A card looks no further than two months. */
function plannedOf(
  { plan, zone, use, coldToday, own, others, quota: { newChats, begun } }: CampaignPlanUse,
  row: CampaignRow,
  now: Date,
): Pick<NonNullable<Campaign["progress"]>, "endsAt" | "plan"> {
  const at = now.getTime();
  const quota = remainingQuota(newChats, begun, now);
  const intervals = [row, ...othersOf(row)].map(({ intervalS, extraS }) => average(intervalS, extraS));
  const { end, why, days } = forecast({
    plan,
    zone,
    now: at,
    people: { warm: own.all - own.cold, cold: own.cold },
    others: { warm: others.all - others.cold, cold: others.cold },
    intervalMs: Math.max(...intervals),
    use,
    coldToday,
    quota,
    mostDays: SHOWN_DAYS,
  });
  const { state, until } = planState(plan, zone, at, { restsUntil: use.restsUntil, coldToday, quota });
  const toIso = (time: number | null) => iso(time === null ? null : new Date(time));
  return {
    endsAt: toIso(end),
    plan: { state, until: toIso(until), cold: own.cold, why, days: days.slice(0, FORECAST_DAYS) },
  };
}

/** When all people are in doubt or accepted. */
function awaitedOf(row: CampaignRow, remaining: number, now: Date) {
  const { awaited: people, awaitedUntil: until, accepted } = row;
  if (people === 0 || people < remaining + accepted) return null;
  return { people, until: iso(until !== null && until > now ? until : null) };
}

function canaryOf({ canaryUntil: until }: CampaignRow, now: Date) {
  return until && { people: CANARY_PEOPLE, until: iso(until > now ? until : null) };
}

const othersOf = ({ others }: CampaignRow): Sharer[] =>
  (others ?? []).map(([intervalS, extraS, remaining]) => ({ intervalS, extraS, remaining }));

export function toSummary(
  byStatus: readonly { status: DisplayStatus; n: number }[],
  sending: readonly CampaignRow[],
  now: Date,
): Omit<CampaignSummary, "archived" | "deleted"> {
  const ends = sending
    .filter((row) => displayStatus(factsOf(row)) === "sending")
    .map((row) => progressOf(row, factsOf(row), "sending", now))
    .map((progress) => progress?.awaits?.until ?? progress?.endsAt ?? null);
  return {
    ...shownCounts(byStatus),
    // One unknown end makes all unknown. ISO instants sort as text.
    endsAt: ends.includes(null) ? null : (ends.sort().at(-1) ?? null),
  };
}

export function shownCounts(byStatus: readonly { status: DisplayStatus; n: number }[]) {
  const known = new Map(byStatus.map(({ status, n }) => [status, n]));
  const all = DISPLAY_STATUSES.map((status) => [status, known.get(status) ?? 0] as const);
  return {
    total: byStatus.reduce((sum, { n }) => sum + n, 0),
    byStatus: Object.fromEntries(all) as Record<DisplayStatus, number>,
  };
}
