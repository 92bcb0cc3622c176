import type { Database } from "../db/client.ts";
import { findLivingSessions, SESSION_ENDED } from "./repo.ts";

export type SessionEnds = {
  /** Calls `onEnd` once when the session ends: logout here or in another process, a new login, a password reset. Answers how to stop waiting. */
  watch(sessionId: string, onEnd: () => void): () => void;
  close(): Promise<void>;
};

/** Tells open streams that their session is over. An answer already being written is not asked again who it is for. */
export async function watchSessionEnds(database: Database): Promise<SessionEnds> {
  const watched = new Map<string, Set<() => void>>();

  function end(sessionId: string): void {
    const waiting = watched.get(sessionId) ?? [];
    watched.delete(sessionId);
    for (const onEnd of waiting) onEnd();
  }

  /** After a gap: whoever logged out meanwhile was not heard. */
  async function endTheGone(): Promise<void> {
    const living = new Set(await findLivingSessions(database.db, [...watched.keys()]));
    for (const sessionId of watched.keys()) if (!living.has(sessionId)) end(sessionId);
  }

  const listener = await database.listen(SESSION_ENDED, end, () => {
    // A database that is away again will be a gap again.
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
