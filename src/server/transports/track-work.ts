/** Counts sends in flight, so that closing can wait for them. */
export function trackWork() {
  const running = new Set<Promise<unknown>>();
  return {
    async run<T>(work: () => Promise<T>): Promise<T> {
      const promise = work();
      running.add(promise);
      try {
        return await promise;
      } finally {
        running.delete(promise);
      }
    },
    async idle(limitMs: number): Promise<void> {
      let timer: NodeJS.Timeout | undefined;
      const limit = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, limitMs);
      });
      await Promise.race([Promise.allSettled([...running]), limit]);
      clearTimeout(timer);
    },
  };
}
