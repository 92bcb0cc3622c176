import type { proto } from "baileys";

export type ImageNote = proto.Message.IImageMessage;

/** A file as a phone gets it: where it lies at the media host, and how it is opened. */
export type FileNote = {
  kind: "image" | "video" | "audio" | "document";
  voice: boolean;
  fileName: string | null;
  seconds: number | null;
  note: Pick<ImageNote, "directPath" | "mediaKey" | "mimetype" | "contextInfo">;
};

/** Another message that this one answers, reacts to or deletes, as its key names it. */
export type AboutNote = {
  what: "quote" | "react" | "delete";
  id: string;
  fromMe: boolean | null;
  participant: string | null;
  /** Of a quote: the copy that travels with it. */
  text: string | null;
};

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
  file: FileNote | null;
  about: AboutNote | null;
  undecryptable: number;
  firstAt: number;
  lastAt: number;
};

export class Ledger {
  readonly counts = {
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
  readonly #records = new Map<string, MessageRecord>();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  get size(): number {
    return this.#records.size;
  }

  frame(id: string, from: string, to: string): MessageRecord {
    this.counts.frames += 1;
    const key = `${from} ${id} ${to}`;
    const at = this.#now();
    const record = this.#records.get(key) ?? newRecord(id, from, to, at);
    this.#records.set(key, record);
    record.frames += 1;
    record.lastAt = at;
    return record;
  }

  accept(record: MessageRecord): void {
    this.counts.accepted += 1;
    if (record.accepted > 0) this.counts.repeated += 1;
    record.accepted += 1;
    record.refusedWith = null;
  }

  refuse(record: MessageRecord, code: number): void {
    this.counts.refused += 1;
    record.refusedWith = code;
  }

  all(): IterableIterator<MessageRecord> {
    return this.#records.values();
  }

  find(from: string, id: string, to: string): MessageRecord | undefined {
    return this.#records.get(`${from} ${id} ${to}`);
  }

  reset(): void {
    this.#records.clear();
    for (const name of Object.keys(this.counts) as (keyof Ledger["counts"])[]) this.counts[name] = 0;
  }
}

function newRecord(id: string, from: string, to: string, at: number): MessageRecord {
  return {
    id,
    from,
    to,
    frames: 0,
    accepted: 0,
    refusedWith: null,
    shown: false,
    text: null,
    image: null,
    file: null,
    about: null,
    undecryptable: 0,
    firstAt: at,
    lastAt: at,
  };
}
