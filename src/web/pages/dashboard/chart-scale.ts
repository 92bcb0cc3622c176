export type Scale = { top: number; step: number };

const MOST_STEPS = 4;

/** Smallest scale with steps of 1, 2 or 5 × 10ⁿ that holds `most` in four steps. */
export function roundScale(most: number): Scale {
  if (most <= 0) return { top: 3, step: 1 };
  for (let power = 1; ; power *= 10)
    for (const lead of [1, 2, 5]) {
      const step = lead * power;
      const steps = Math.ceil(most / step);
      if (steps <= MOST_STEPS) return { top: Math.max(2, steps) * step, step };
    }
}

/** x of each column's middle, y below the top. Days made negative by corrections count as 0. */
export function places(values: readonly number[], top: number, width: number, height: number) {
  const column = width / values.length;
  return values.map((value, place) => ({
    x: round((place + 0.5) * column),
    y: round(height - (Math.max(0, value) / top) * height),
  }));
}

const round = (value: number) => Math.round(value * 10) / 10;

/** Names that fit on a phone. */
const MOST_NAMES = 7;

export function namedDays(count: number): number[] {
  const step = Math.ceil(count / MOST_NAMES);
  return Array.from({ length: Math.ceil(count / step) }, (_, back) => count - 1 - back * step).reverse();
}

/** Points a line would hide: all of a short span, isolated ones of a long span. */
export function markedDays(values: readonly number[]): number[] {
  const all = values.map((_, place) => place);
  if (values.length <= MOST_NAMES) return all;
  const quiet = (place: number) => (values[place] ?? 0) <= 0;
  return all.filter((place) => !quiet(place) && quiet(place - 1) && quiet(place + 1));
}

type Day = { sent: number; delivered: number; confirmed: number };

export function sumOf(days: readonly Day[]): Day {
  const sum = (of: keyof Day) => days.reduce((total, day) => total + day[of], 0);
  return { sent: sum("sent"), delivered: sum("delivered"), confirmed: sum("confirmed") };
}
