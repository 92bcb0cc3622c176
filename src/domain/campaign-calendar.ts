/** `2026-11`. */
export type Month = string;

export const MONTH = /^20\d{2}-(0[1-9]|1[0-2])$/;

const DAY_MS = 86_400_000;
const utc = (day: string) => new Date(`${day}T00:00:00Z`);
const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);

export function shiftMonth(month: Month, by: number): Month {
  const first = utc(`${month}-01`);
  return dayOf(first.setUTCMonth(first.getUTCMonth() + by)).slice(0, 7);
}

export function weeksOf(month: Month): string[][] {
  const first = utc(`${month}-01`);
  const sunday = first.getTime() - first.getUTCDay() * DAY_MS;
  const end = utc(`${shiftMonth(month, 1)}-01`).getTime();
  const count = Math.ceil((end - sunday) / (7 * DAY_MS));
  return Array.from({ length: count }, (_, week) =>
    Array.from({ length: 7 }, (_, day) => dayOf(sunday + (week * 7 + day) * DAY_MS)),
  );
}

export type Span = { id: number; first: string; last: string };

export function drawn(
  { id, first, last, why }: { id: number; first: string; last: string | null; why: NoLastDay | null },
  today: string,
  end: string,
): Span {
  const open = why === "too_far" && end > first ? end : first > today ? first : today;
  return { id, first, last: last ?? open };
}

export type Segment = {
  id: number;
  column: number;
  days: number;
  lane: number;
  begins: boolean;
  ends: boolean;
};

/** `hidden`: spans of each day that found no lane. */
export type Week = { days: string[]; segments: Segment[]; hidden: number[] };

export function layOut(weeks: readonly string[][], spans: readonly Span[], lanes: number): Week[] {
  const sorted = spans.toSorted(
    (a, b) => a.first.localeCompare(b.first) || b.last.localeCompare(a.last) || a.id - b.id,
  );
  return weeks.map((days) => layWeek(days, sorted, lanes));
}

function layWeek(days: string[], sorted: readonly Span[], lanes: number): Week {
  const segments: Segment[] = [];
  const hidden = days.map(() => 0);
  const free = Array.from({ length: lanes }, () => 0);
  for (const { id, first, last } of sorted) {
    const columns = days.flatMap((day, at) => (first <= day && day <= last ? at : []));
    const [column] = columns;
    if (column === undefined) continue;
    const lane = free.findIndex((from) => from <= column);
    if (lane < 0) {
      for (const at of columns) hidden[at] = (hidden[at] ?? 0) + 1;
      continue;
    }
    free[lane] = column + columns.length;
    const begins = days.includes(first);
    segments.push({ id, column, days: columns.length, lane, begins, ends: days.includes(last) });
  }
  return { days, segments, hidden };
}

export type Clash = { from: string; to: string; ids: number[] };

export function clashesOf(spans: readonly Span[]): Clash[] {
  const sorted = spans.toSorted((a, b) => a.first.localeCompare(b.first) || a.id - b.id);
  const clashes: Clash[] = [];
  let group: { ids: number[]; last: string; from: string | null; to: string } | null = null;
  const close = () => {
    if (group?.from) clashes.push({ from: group.from, to: group.to, ids: group.ids });
  };
  for (const { id, first, last } of sorted) {
    if (group === null || first > group.last) {
      close();
      group = { ids: [id], last, from: null, to: "" };
      continue;
    }
    const shared = last.localeCompare(group.last) < 0 ? last : group.last;
    group.ids.push(id);
    group.from ??= first;
    if (shared > group.to) group.to = shared;
    if (last > group.last) group.last = last;
  }
  close();
  return clashes;
}

export const OFTEN = { campaigns: 3, days: 7 };

export const NO_LAST_DAY = [
  "never_opens",
  "no_budget",
  "too_far",
  "paused",
  "no_connection",
  "audience_gone",
  "unknown_pace",
] as const;
export type NoLastDay = (typeof NO_LAST_DAY)[number];
