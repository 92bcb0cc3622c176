import type { Database } from "../db/client.ts";
import { findLivingSessions, SESSION_ENDED } from "./repo.ts";

export type SessionEnds = {
  /** Calls `onEnd` once, for an end in any process. Returns the unsubscribe function. */
  watch(sessionId: string, onEnd: () => void): () => void;
  close(): Promise<void>;
};

/** An answer being written is not checked again. */
export async function watchSessionEnds(database: Database): Promise<SessionEnds> {
  const watched = new Map<string, Set<() => void>>();

  function end(sessionId: string): void {
    const waiting = watched.get(sessionId) ?? [];
    watched.delete(sessionId);
    for (const onEnd of waiting) onEnd();
  }

  /** Logouts during a lost connection were missed. */
  async function endTheGone(): Promise<void> {
    const living = new Set(await findLivingSessions(database.db, [...watched.keys()]));
    for (const sessionId of watched.keys()) if (!living.has(sessionId)) end(sessionId);
  }

  const listener = await database.listen(SESSION_ENDED, end, () => {
    endTheGone().catch(() => undefined);
  });

  return {
    watch(sessionId, onEnd) {
      const waiting = watched.get(sessionId) ?? new Set();
      watched.set(sessionId, waiting.add(onEnd));
      return () => {
        waiting.delete(onEnd);
        if (waiting.size === 0 && watched.get(sessionId) === waiting) watched.delete(sessionId);
      };
    },
    close: () => listener.close(),
  };
}
