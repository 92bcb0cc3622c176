import type {
  CalendarCampaign,
  CampaignCalendar,
  NumberDay,
  SharedNumber,
} from "../../contract/campaign-calendar.ts";
import { displayStatus } from "../../domain/campaign.ts";
import { clashesOf, drawn, type Span, weeksOf } from "../../domain/campaign-calendar.ts";
import { isHoliday } from "../../domain/holidays.ts";
import { opensOn, rampOn } from "../../domain/number-plan.ts";
import { nextDay } from "../../domain/plan-hours.ts";
import { dayInZone, startOfDay } from "../../domain/schedule.ts";
import { readWeeklyLimit, readZone } from "../db/account.ts";
import type { Owner } from "../db/owner.ts";
import { audienceOf, campaignsOf, numbersOf } from "../sending/sending.ts";
import { type Awaited, awaitedOf, type Prediction, predict } from "./calendar-forecast.ts";
import { factsOf } from "./presenter.ts";
import { type CampaignRow, findOver, findUnfinished } from "./repo.ts";

const UNFINISHED_MOST = 60;
const OVER_MOST = 200;
/** Days in which conflicts are looked for. */
const AHEAD = { least: 60, most: 400 };
const DAY_MS = 86_400_000;

export async function readCalendar(
  owner: Owner,
  month: string | undefined,
  now: Date,
): Promise<CampaignCalendar> {
  const zone = (await readZone(owner)) ?? "UTC";
  const today = dayInZone(now, zone);
  const shown = month ?? today.slice(0, 7);
  const days = weeksOf(shown).flat();
  const [first = today, last = today] = [days[0], days.at(-1)];
  const bounds = [startOfDay(first, zone), startOfDay(nextDay(last), zone)].map((at) => new Date(at));
  const [from = now, to = now] = bounds;
  const over = await findOver(owner, from, to, OVER_MOST + 1);
  const unfinished = await findUnfinished(owner, UNFINISHED_MOST + 1);
  const awaited = await awaitedOf(owner, unfinished.slice(0, UNFINISHED_MOST), now);
  const reach = Math.ceil((to.getTime() - now.getTime()) / DAY_MS) + 1;
  const mostDays = Math.min(AHEAD.most, Math.max(AHEAD.least, reach));
  const predicted = await predict(awaited, { zone, now, mostDays });
  const horizon = dayInZone(new Date(now.getTime() + mostDays * DAY_MS), zone);
  const coming = predicted.map((one) => comingCampaign(one, zone));
  const isShown = (one: CalendarCampaign) => one.first <= last && drawn(one, today, horizon).last >= first;
  return {
    month: shown,
    today,
    campaigns: [...over.slice(0, OVER_MOST).map((row) => pastCampaign(row, zone)), ...coming.filter(isShown)],
    cut: over.length > OVER_MOST || unfinished.length > UNFINISHED_MOST,
    ...(await loadsOf(owner, { days, today, predicted })),
    conflicts: {
      shared: sharedNumbers(predicted, { zone, today, horizon }),
      often: await oftenOf(owner, awaited, { zone, now }),
    },
  };
}

function pastCampaign(row: CampaignRow, zone: string): CalendarCampaign {
  const began = row.startedAt ?? row.createdAt;
  return {
    id: row.id,
    name: row.name,
    status: displayStatus(factsOf(row)),
    connectionId: row.connectionId,
    connectionName: row.connectionName,
    first: dayInZone(began, zone),
    last: dayInZone(row.lastSentAt ?? began, zone),
    why: null,
    people: row.total,
  };
}

function comingCampaign(
  { row, from, people, connection, last, why }: Prediction,
  zone: string,
): CalendarCampaign {
  const began =
    row.startedAt ?? (row.status === "paused" ? (row.scheduledAt ?? row.updatedAt) : new Date(from));
  const expected = people && people.warm + people.cold;
  return {
    id: row.id,
    name: row.name,
    status: displayStatus(factsOf(row)),
    connectionId: connection?.id ?? null,
    connectionName: connection?.name ?? row.connectionName,
    first: dayInZone(began, zone),
    last,
    why,
    people: row.startedAt === null ? expected : row.total,
  };
}

type Weeks = { days: readonly string[]; today: string; predicted: readonly Prediction[] };

async function loadsOf(
  owner: Owner,
  { days, today, predicted }: Weeks,
): Promise<Pick<CampaignCalendar, "numbers" | "holidays">> {
  const plans = await numbersOf(owner).plans();
  const sent = await campaignsOf(owner).sentDays(days[0] ?? today, days.at(-1) ?? today);
  const numbers = plans.map(({ id, name, plan }) => {
    const sums = sumsOf(predicted.filter(({ connection }) => connection?.id === id));
    const sentOn = new Map(sent.flatMap((one) => (one.connectionId === id ? [[one.day, one.sent]] : [])));
    const load = days.map((day): NumberDay => {
      const { predicted: messages = 0, cold = 0, wanted = 0, left = null } = sums.get(day) ?? {};
      const allowed = plan && day >= today ? (opensOn(plan, day) === null ? 0 : rampOn(plan, day)) : null;
      const budget = plan && (left ?? allowed);
      return { day, sent: sentOn.get(day) ?? 0, predicted: messages, cold, wanted, budget };
    });
    return { connectionId: id, name, planned: plan !== null, days: load };
  });
  const resting = plans.some(({ plan }) => plan?.restsOnHolidays);
  return {
    numbers: numbers.filter(({ days: load }) => load.some((day) => day.sent + day.predicted > 0)),
    holidays: resting ? days.filter(isHoliday) : [],
  };
}

type Sums = { predicted: number; cold: number; wanted: number; left: number };

function sumsOf(ofNumber: readonly Prediction[]): Map<string, Sums> {
  const sums = new Map<string, Sums>();
  const of = (day: string, left: number) => {
    const known = sums.get(day) ?? { predicted: 0, cold: 0, wanted: 0, left };
    sums.set(day, known);
    return known;
  };
  for (const { days, daysAlone } of ofNumber) {
    for (const { day, warm, cold, budget } of days) {
      const sum = of(day, budget);
      sum.predicted += warm + cold;
      sum.cold += cold;
    }
    for (const { day, cold, budget } of daysAlone) of(day, budget).wanted += cold;
  }
  return sums;
}

function sharedNumbers(
  predicted: readonly Prediction[],
  { zone, today, horizon }: { zone: string; today: string; horizon: string },
): SharedNumber[] {
  const able = predicted.filter(({ last, why }) => last !== null || why === "too_far");
  const byNumber = Map.groupBy(able, ({ connection }) => connection?.id ?? 0);
  const found = [...byNumber.entries()].flatMap(([connectionId, ofNumber]) => {
    const known = new Map(ofNumber.map((one) => [one.row.id, one]));
    const spans = ofNumber.map(({ row, from, last }): Span => {
      const day = dayInZone(new Date(from), zone);
      return { id: row.id, first: day > today ? day : today, last: last ?? horizon };
    });
    return clashesOf(spans).map(({ from, to, ids }) => ({
      connectionId,
      name: ofNumber[0]?.connection?.name ?? "",
      from,
      to,
      campaigns: ids.flatMap((id) => {
        const one = known.get(id);
        if (!one) return [];
        const { row, alone, last: together } = one;
        return { id, name: row.name, scheduled: row.status === "scheduled", alone, together };
      }),
    }));
  });
  return found.toSorted((a, b) => a.from.localeCompare(b.from));
}

async function oftenOf(
  owner: Owner,
  awaited: readonly Awaited[],
  { zone, now }: { zone: string; now: Date },
): Promise<CampaignCalendar["conflicts"]["often"]> {
  const weeklyLimit = await readWeeklyLimit(owner);
  if (awaited.length === 0) return { people: 0, from: null, to: null, weeklyLimit };
  const ahead = awaited.flatMap(({ row, from, people }) =>
    row.startedAt === null && row.status !== "paused" && people
      ? { id: row.id, at: new Date(from), people: people.warm + people.cold, asked: row }
      : [],
  );
  const often = await audienceOf(owner).countOften(now, ahead);
  if (often === null) return null;
  const dayOf = (at: Date | null) => at && dayInZone(at, zone);
  return { people: often.people, from: dayOf(often.from), to: dayOf(often.to), weeklyLimit };
}
