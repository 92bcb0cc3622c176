import type { proto } from "baileys";

export type ImageNote = proto.Message.IImageMessage;

export type MessageRecord = {
  id: string;
  from: string;
  to: string;
  frames: number;
  /** More than one: the client sent it again. */
  accepted: number;
  refusedWith: number | null;
  /** A phone shows one message per id, however many frames arrive. */
  shown: boolean;
  text: string | null;
  image: ImageNote | null;
  undecryptable: number;
  firstAt: number;
  lastAt: number;
};

export type Ledger = ReturnType<typeof makeLedger>;

export function makeLedger(now: () => number) {
  const records = new Map<string, MessageRecord>();
  const counts = {
    frames: 0,
    accepted: 0,
    refused: 0,
    repeated: 0,
    shown: 0,
    undecryptable: 0,
    acksDropped: 0,
    acksDelayed: 0,
    lost: 0,
  };

  return {
    counts,
    get size() {
      return records.size;
    },
    frame(id: string, from: string, to: string): MessageRecord {
      counts.frames += 1;
      const key = `${from} ${id} ${to}`;
      const at = now();
      let record = records.get(key);
      if (!record) {
        record = {
          id,
          from,
          to,
          frames: 0,
          accepted: 0,
          refusedWith: null,
          shown: false,
          text: null,
          image: null,
          undecryptable: 0,
          firstAt: at,
          lastAt: at,
        };
        records.set(key, record);
      }
      record.frames += 1;
      record.lastAt = at;
      return record;
    },
    accept(record: MessageRecord): void {
      counts.accepted += 1;
      if (record.accepted > 0) counts.repeated += 1;
      record.accepted += 1;
      record.refusedWith = null;
    },
    refuse(record: MessageRecord, code: number): void {
      counts.refused += 1;
      record.refusedWith = code;
    },
    all: (): IterableIterator<MessageRecord> => records.values(),
    find: (from: string, id: string, to: string) => records.get(`${from} ${id} ${to}`),
    reset(): void {
      records.clear();
      for (const name of Object.keys(counts) as (keyof typeof counts)[]) counts[name] = 0;
    },
  };
}
