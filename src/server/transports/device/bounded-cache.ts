import type { WASocket } from "baileys";

export type BoundedCache = {
  get<T>(key: string): T | undefined;
  set<T>(key: string, value: T): void;
  del(key: string): void;
  flushAll(): void;
  size(): number;
};

/** LRU. Baileys keeps entries for five minutes: 100,000 people would be as many Signal sessions in memory. */
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

const KNOWN_MAPPINGS = 4_000;

/**
 * Baileys 7.0.0-rc14 keeps each number/LID pair for three days with a timer and some 70 kB, gigabytes for a
 * busy number (`lid-mapping.js`, its pull request 2640). Others are read from the keys.
 */
export function boundMappings(sock: WASocket): void {
  const { get, set, flushAll } = boundedCache(KNOWN_MAPPINGS);
  Object.assign(sock.signalRepository.lidMapping, { mappingCache: { get, set, clear: flushAll } });
}
