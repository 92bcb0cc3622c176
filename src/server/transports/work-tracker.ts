/** Counts sends in flight, so that closing can wait for them. */
export class WorkTracker {
  readonly #running = new Set<Promise<unknown>>();

  async run<T>(work: () => Promise<T>): Promise<T> {
    const promise = work();
    this.#running.add(promise);
    try {
      return await promise;
    } finally {
      this.#running.delete(promise);
    }
  }

  async idle(limitMs: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const limit = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, limitMs);
    });
    await Promise.race([Promise.allSettled([...this.#running]), limit]);
    clearTimeout(timer);
  }
}
