import type { SignalKeyStoreWithTransaction } from "baileys";

/**
 * Signal sessions of all simulated people, within a bound.
 *
 * Someone who never wrote back is always addressed with a self-contained first message (`pkmsg`), from
 * which the session can be made again; so the oldest of those may be forgotten. Sessions of people who
 * have written are kept: the client then sends messages that nothing else can open.
 */
export function makeSessionStore(maxUnanswered: number) {
  const unanswered = new Map<string, Buffer>();
  const answered = new Map<string, Buffer>();

  return {
    get size() {
      return unanswered.size + answered.size;
    },
    load(address: string): unknown {
      const bytes = answered.get(address) ?? unanswered.get(address);
      return bytes && JSON.parse(bytes.toString("latin1"));
    },
    save(address: string, session: unknown): void {
      // Text in a buffer lies outside the heap and takes a third of the object's room.
      const bytes = Buffer.from(JSON.stringify(session), "latin1");
      if (answered.has(address)) {
        answered.set(address, bytes);
        return;
      }
      unanswered.delete(address);
      unanswered.set(address, bytes);
      if (unanswered.size <= maxUnanswered) return;
      for (const oldest of unanswered.keys()) {
        unanswered.delete(oldest);
        break;
      }
    },
    /** From now on this session must not be forgotten. */
    keep(address: string): void {
      const bytes = unanswered.get(address);
      if (!bytes) return;
      unanswered.delete(address);
      answered.set(address, bytes);
    },
    drop(address: string): void {
      unanswered.delete(address);
      answered.delete(address);
    },
    clear(): void {
      unanswered.clear();
      answered.clear();
    },
  };
}

export type SessionStore = ReturnType<typeof makeSessionStore>;

/**
 * The key store under one identity's Signal repository. Identity and pre-keys are the identity's own and
 * are never used up; sessions go to the shared bounded store; the rest stays in a plain map.
 */
export function makeKeyStore(sessions: SessionStore, preKey: { private: Uint8Array; public: Uint8Array }) {
  const rest = new Map<string, unknown>();

  function load(type: string, id: string): unknown {
    if (type === "session") return sessions.load(id);
    if (type === "pre-key") return preKey;
    return rest.get(`${type} ${id}`);
  }
  function save(type: string, id: string, value: unknown): void {
    if (type === "session") {
      if (value === null || value === undefined) sessions.drop(id);
      else sessions.save(id, value);
    } else if (type === "sender-key") rest.set(`${type} ${id}`, value);
    // Identity keys are not kept: a person trusts whoever writes. Pre-keys are never used up.
  }

  const store: SignalKeyStoreWithTransaction = {
    get(type, ids) {
      const found: Record<string, unknown> = {};
      for (const id of ids) {
        const value = load(type, id);
        if (value !== undefined) found[id] = value;
      }
      // The type of a value follows from the type asked for, which TypeScript cannot see here.
      return found as never;
    },
    set(data) {
      for (const [type, values] of Object.entries(data)) {
        for (const [id, value] of Object.entries(values ?? {})) save(type, id, value);
      }
    },
    isInTransaction: () => false,
    // libsignal already queues by address, and nothing here can fail half way.
    transaction: (work) => work(),
  };
  return store;
}
