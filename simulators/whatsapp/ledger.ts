import type { proto } from "baileys";

/** One image as its message describes it; the bytes stay encrypted at the media host. */
export type ImageNote = proto.Message.IImageMessage;

/** Everything known of one message id from one number to one recipient. */
export type MessageRecord = {
  id: string;
  /** Number of the account that sent it. */
  from: string;
  /** Number of the person, or the id of the group, that it was addressed to. */
  to: string;
  /** Frames that reached the server, refused ones too. */
  frames: number;
  /** Frames the server took. More than one means that the client sent it again. */
  accepted: number;
  /** Code of the last refusal, null when the last frame was taken. */
  refusedWith: number | null;
  /** Whether a phone shows it. A phone shows one message per id, however many frames arrive. */
  shown: boolean;
  text: string | null;
  image: ImageNote | null;
  /** Frames the recipient's phone could not open. */
  undecryptable: number;
  firstAt: number;
  lastAt: number;
};

export type Ledger = ReturnType<typeof makeLedger>;

/** Every message that clients sent, by (from, id, to), in order of the first frame. */
export function makeLedger(now: () => number) {
  const records = new Map<string, MessageRecord>();
  const counts = {
    frames: 0,
    accepted: 0,
    refused: 0,
    /** Frames taken under an id that had been taken before. */
    repeated: 0,
    /** Messages that a phone shows. */
    shown: 0,
    undecryptable: 0,
    acksDropped: 0,
    acksDelayed: 0,
    /** Frames lost on a link that was cut before the server took them. */
    lost: 0,
  };

  return {
    counts,
    get size() {
      return records.size;
    },
    /** The record of this frame's message, made on its first frame. */
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
