import type { SignalKeyStoreWithTransaction } from "baileys";

/**
 * People who never wrote back get a self-contained `pkmsg`, so their oldest sessions may be dropped; sessions
 * of writers must be kept.
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
      // Outside the heap, in a third of the space.
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
  }

  const store: SignalKeyStoreWithTransaction = {
    get(type, ids) {
      const found: Record<string, unknown> = {};
      for (const id of ids) {
        const value = load(type, id);
        if (value !== undefined) found[id] = value;
      }
      return found as never;
    },
    set(data) {
      for (const [type, values] of Object.entries(data)) {
        for (const [id, value] of Object.entries(values ?? {})) save(type, id, value);
      }
    },
    isInTransaction: () => false,
    // libsignal already queues by address.
    transaction: (work) => work(),
  };
  return store;
}
