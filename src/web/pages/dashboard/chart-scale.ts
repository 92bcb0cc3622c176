/** Where the lines of a chart end and how far its grid lines lie apart; both whole numbers. */
export type Scale = { top: number; step: number };

const MOST_STEPS = 4;

/** The smallest round scale (steps of 1, 2 or 5 times a power of ten) that holds `most` in at most four steps. */
export function roundScale(most: number): Scale {
  if (most <= 0) return { top: 3, step: 1 };
  for (let power = 1; ; power *= 10)
    for (const lead of [1, 2, 5]) {
      const step = lead * power;
      const steps = Math.ceil(most / step);
      if (steps <= MOST_STEPS) return { top: Math.max(2, steps) * step, step };
    }
}

/** `50 163.1 150 194.9 …`: the middle of each column, and how deep its value lies below the top. */
export function points(values: readonly number[], top: number, width: number, height: number): string {
  const column = width / values.length;
  return values
    .map((value, place) => `${(place + 0.5) * column} ${round(height - (value / top) * height)}`)
    .join(" ");
}

const round = (value: number) => Math.round(value * 10) / 10;
