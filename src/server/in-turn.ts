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
