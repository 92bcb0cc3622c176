import { setImmediate } from "node:timers/promises";
import { hasSources } from "../../domain/audience.ts";
import type { NoLastDay } from "../../domain/campaign-calendar.ts";
import { AppError } from "../../domain/errors.ts";
import { remainingQuota } from "../../domain/new-chats.ts";
import { BOUNDLESS_PLAN } from "../../domain/number-plan.ts";
import {
  type ForecastDay,
  forecastTogether,
  type NumberQuestion,
  type Remaining,
} from "../../domain/plan-forecast.ts";
import { UNUSED } from "../../domain/plan-pace.ts";
import { dayInZone } from "../../domain/schedule.ts";
import type { Owner } from "../db/owner.ts";
import { audienceOf, type CampaignPlanUse, campaignsOf } from "../sending/sending.ts";
import type { CampaignRow } from "./repo.ts";

type Serving = { id: number; name: string };

/** `from`: epoch ms. */
export type Awaited = {
  row: CampaignRow;
  from: number;
  connection: Serving | null;
  people: Remaining | null;
  number: Omit<CampaignPlanUse, "own"> | null;
  why: NoLastDay | null;
};

export type Prediction = Awaited & {
  last: string | null;
  alone: string | null;
  days: readonly ForecastDay[];
  daysAlone: readonly ForecastDay[];
};

export async function awaitedOf(owner: Owner, rows: readonly CampaignRow[], now: Date): Promise<Awaited[]> {
  const standard = await campaignsOf(owner).servingConnection(null);
  const all: Awaited[] = [];
  for (const row of rows) all.push(await awaited(owner, row, { standard, now }));
  return all;
}

async function awaited(
  owner: Owner,
  row: CampaignRow,
  { standard, now }: { standard: Serving | null; now: Date },
): Promise<Awaited> {
  const { connectionId, connectionName, startedAt, scheduledAt } = row;
  const chosen = connectionId === null ? null : { id: connectionId, name: connectionName ?? "" };
  const connection = chosen ?? (connectionName === null ? standard : null);
  const from = Math.max(now.getTime(), (startedAt === null ? scheduledAt : null)?.getTime() ?? 0);
  const base: Awaited = { row, from, connection, people: null, number: null, why: null };
  if (row.status === "paused") return { ...base, why: "paused" };
  if (connection === null) return { ...base, why: "no_connection" };
  if (row.status === "sending") return { ...base, ...underWay(row) };
  return { ...base, ...(await expected(owner, row, connection)) };
}

type Audience = Pick<Awaited, "people" | "number" | "why">;

function underWay({ planned, pending, sending, waiting, ...row }: CampaignRow): Audience {
  if (planned) {
    const { own, ...number } = planned;
    return { people: { warm: own.all - own.cold, cold: own.cold }, number, why: null };
  }
  const people = { warm: pending + sending + waiting, cold: 0 };
  return { people, number: null, why: intervalOf(row) > 0 ? null : "unknown_pace" };
}

async function expected(owner: Owner, row: CampaignRow, { id }: Serving): Promise<Audience> {
  const { listId, audience, listContacts, variables } = row;
  const gone: Audience = { people: null, number: null, why: "audience_gone" };
  if (!hasSources(listId, audience) && row.resendsId === null) return gone;
  const asked = { listId, audience, variables, connectionId: id };
  const audiences = audienceOf(owner);
  try {
    const planned = await audiences.planned(asked);
    if (planned) {
      const { own, ...number } = planned;
      return { people: { warm: own.all - own.cold, cold: own.cold }, number, why: null };
    }
    const all = audience === null ? (listContacts ?? 0) : (await audiences.count(asked)).gets;
    const why = intervalOf(row) > 0 ? null : "unknown_pace";
    return { people: { warm: all, cold: 0 }, number: null, why };
  } catch (error) {
    if (error instanceof AppError && error.code === "not_found") return gone;
    throw error;
  }
}

/** Milliseconds; 0: unknown. */
const intervalOf = ({ intervalS, extraS, seenS }: Pick<CampaignRow, "intervalS" | "extraS" | "seenS">) =>
  (intervalS + extraS / 2 || (seenS ?? 0)) * 1_000;

type When = { zone: string; now: Date; mostDays: number };

export async function predict(all: readonly Awaited[], when: When): Promise<Prediction[]> {
  const able = all.filter(({ why }) => why === null);
  const predictions: Prediction[] = [];
  for (const ofNumber of Map.groupBy(able, ({ connection }) => connection?.id).values())
    predictions.push(...(await predictNumber(ofNumber, when)));
  for (const one of all)
    if (one.why !== null) predictions.push({ ...one, last: null, alone: null, days: [], daysAlone: [] });
  return predictions;
}

/** A forecast of a large campaign takes tens of milliseconds: other requests go between. */
async function predictNumber(all: readonly Awaited[], { zone, now, mostDays }: When): Promise<Prediction[]> {
  const number = all.find((one) => one.number !== null)?.number ?? null;
  const question: NumberQuestion = {
    plan: number?.plan ?? BOUNDLESS_PLAN,
    zone,
    now: now.getTime(),
    use: number?.use ?? UNUSED,
    coldToday: number?.coldToday ?? 0,
    quota: number && remainingQuota(number.quota.newChats, number.quota.begun, now),
    mostDays,
  };
  const senders = all.map(({ people, from, row }) => ({
    people: people ?? { warm: 0, cold: 0 },
    from,
    intervalMs: intervalOf(row),
  }));
  const together = forecastTogether(question, senders);
  const dayOf = (end: number | null | undefined) => (end ? dayInZone(new Date(end), zone) : null);
  const predictions: Prediction[] = [];
  for (const [at, one] of all.entries()) {
    await setImmediate();
    const shared = together[at];
    const [alone] = all.length === 1 ? together : forecastTogether(question, senders.slice(at, at + 1));
    predictions.push({
      ...one,
      why: shared?.why ?? null,
      last: dayOf(shared?.end),
      alone: dayOf(alone?.end),
      days: shared?.days ?? [],
      daysAlone: alone?.days ?? [],
    });
  }
  return predictions;
}
