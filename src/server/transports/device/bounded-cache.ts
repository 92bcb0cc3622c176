import type { WASocket } from "baileys";

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

/** Two for each person: by their number and by WhatsApp's own id of them. */
const KNOWN_MAPPINGS = 4_000;

/**
 * Lets a socket remember so many pairs of number and WhatsApp's own id, the latest used; the others it reads anew from its keys. Baileys
 * keeps every pair for three days, each with a timer, and each timer what its message had read of the keys: some 70 kB a person written
 * to, gigabytes for a number that writes all day. Source: Baileys 7.0.0-rc14, `lid-mapping.js`, and its pull request 2640.
 */
export function boundMappings(sock: WASocket): void {
  const { get, set, flushAll } = boundedCache(KNOWN_MAPPINGS);
  Object.assign(sock.signalRepository.lidMapping, { mappingCache: { get, set, clear: flushAll } });
}
