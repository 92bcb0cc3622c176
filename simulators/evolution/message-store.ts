/** Times are Unix seconds. */
export type StoredMessage = {
  rowId: string;
  data: MessageData;
  statuses: { id: string; status: string; remoteJid: string }[];
};

export type MessageKey = {
  remoteJid: string;
  fromMe: boolean;
  id: string;
  remoteJidAlt?: string;
  participant?: string;
  participantAlt?: string;
  addressingMode?: string;
};

export type MessageData = {
  key: MessageKey;
  pushName?: string | null;
  status?: string;
  message: Record<string, unknown>;
  contextInfo?: unknown;
  messageType?: string;
  messageTimestamp: number;
  instanceId: string;
  source: string;
};

export type MessageFilter = {
  id?: string;
  remoteJid?: string;
  fromMe?: boolean;
  from?: number;
  to?: number;
  messageType?: string;
};

export type MessageStore = ReturnType<typeof makeMessageStore>;

export function makeMessageStore() {
  const all: StoredMessage[] = [];
  const byId = new Map<string, StoredMessage[]>();
  const byChat = new Map<string, StoredMessage[]>();

  function keep(index: Map<string, StoredMessage[]>, key: string, message: StoredMessage) {
    const list = index.get(key);
    if (list) list.push(message);
    else index.set(key, [message]);
  }
  function candidates({ id, remoteJid }: MessageFilter): StoredMessage[] {
    if (id) return byId.get(id) ?? [];
    if (remoteJid) return byChat.get(remoteJid) ?? [];
    return all;
  }

  return {
    get size() {
      return all.length;
    },
    add(message: StoredMessage): void {
      all.push(message);
      keep(byId, message.data.key.id, message);
      keep(byChat, message.data.key.remoteJid, message);
    },
    has: (id: string): boolean => byId.has(id),
    ofChat: (remoteJid: string): readonly StoredMessage[] => byChat.get(remoteJid) ?? [],
    chats: (): IterableIterator<[string, StoredMessage[]]> => byChat.entries(),
    /** `fromMe: false` filters nothing (recording 04). */
    find(filter: MessageFilter): StoredMessage[] {
      const matches = ({ data: { key, messageTimestamp, messageType } }: StoredMessage) =>
        (!filter.remoteJid || key.remoteJid === filter.remoteJid) &&
        (!filter.fromMe || key.fromMe) &&
        (filter.from === undefined || messageTimestamp >= filter.from) &&
        (filter.to === undefined || messageTimestamp <= filter.to) &&
        (!filter.messageType || messageType === filter.messageType);
      const narrowed = Object.values(filter).some((value) => value !== undefined);
      return (narrowed ? candidates(filter).filter(matches) : [...all]).reverse();
    },
  };
}
