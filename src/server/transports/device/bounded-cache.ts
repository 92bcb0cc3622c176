/** Baileys' `CacheStore`, answering at once. */
export type BoundedCache = {
  get<T>(key: string): T | undefined;
  set<T>(key: string, value: T): void;
  del(key: string): void;
  flushAll(): void;
  size(): number;
};

/**
 * A cache for one device that forgets its least recently used entries beyond `limit`. Baileys' own keeps everything for five
 * minutes: a campaign of a hundred thousand people would hold as many Signal sessions in memory.
 */
export function boundedCache(limit: number): BoundedCache {
  const entries = new Map<string, unknown>();
  return {
    get<T>(key: string): T | undefined {
      const value = entries.get(key);
      if (value === undefined) return undefined;
      entries.delete(key);
      entries.set(key, value);
      return value as T;
    },
    set<T>(key: string, value: T) {
      entries.delete(key);
      entries.set(key, value);
      if (entries.size <= limit) return;
      const oldest = entries.keys().next();
      if (!oldest.done) entries.delete(oldest.value);
    },
    del(key: string) {
      entries.delete(key);
    },
    flushAll() {
      entries.clear();
    },
    size: () => entries.size,
  };
}
