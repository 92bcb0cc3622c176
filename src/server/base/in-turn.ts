/** Does some work as soon as it is its turn, and answers what it answers. */
export type InTurn = <T>(work: () => Promise<T>) => Promise<T>;

/**
 * At most `running` pieces of work at a time, the others behind them in the order in which they came. `full` is told how many wait
 * before one more does, and may throw.
 */
export function inTurn(running: number, full?: (waiting: number) => void): InTurn {
  let free = running;
  const queue: (() => void)[] = [];

  return async (work) => {
    if (free > 0) free--;
    else {
      full?.(queue.length);
      await new Promise<void>((resolve) => queue.push(resolve));
    }
    try {
      return await work();
    } finally {
      // Whoever finishes hands its place over, so that nobody who comes just now is before those who wait.
      const next = queue.shift();
      if (next) next();
      else free++;
    }
  };
}

/** As `inTurn`, a row for each: at most `running` pieces of anybody's work at a time, and nobody waits for another's. */
export function inOwnTurn(running: number) {
  const rows = new Map<string, { turn: InTurn; work: number }>();

  return async <T>(whose: string, work: () => Promise<T>): Promise<T> => {
    const own = rows.get(whose) ?? { turn: inTurn(running), work: 0 };
    rows.set(whose, own);
    own.work++;
    try {
      return await own.turn(work);
    } finally {
      own.work--;
      if (own.work === 0) rows.delete(whose);
    }
  };
}
