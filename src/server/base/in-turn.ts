export type InTurn = <T>(work: () => Promise<T>) => Promise<T>;

/** First in, first out. `full` gets the queue length before one more waits, and may throw. */
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
      // Passes the slot directly, so that a newcomer cannot overtake the queue.
      const next = queue.shift();
      if (next) next();
      else free++;
    }
  };
}

/** Like `inTurn`, with a separate queue per key. */
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
