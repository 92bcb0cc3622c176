import { sql } from "kysely";
import type { Logger } from "pino";
import { type Change, TOPICS, type Topic } from "../../contract/events.ts";
import type { Database } from "./client.ts";

export type Changes = {
  /** Something of this account changed. Costs nothing: told to all processes at most once in 500 ms. */
  mark(accountId: string, topic: Topic, id?: number): void;
  subscribe(subscriber: Subscriber): () => void;
  /** Accounts with a page at this process. */
  watched(): string[];
  /** How many pages that are. */
  streams(): number;
  /** Something may have changed that nobody was told, of whichever account: at every process all pages ask again. */
  publishAll(): Promise<void>;
  /** Tells the pages of this process at once, and nobody else: for what every process hears of by itself. */
  tellHere(accountId: string, topic: Topic): void;
  /** Tells what is still untold, ends every stream and stops listening. What is marked afterwards is told at once. */
  close(): Promise<void>;
};

export type Subscriber = {
  accountId: string;
  onChange(change: Change): void;
  /** The server stops. */
  onEnd(): void;
};

/** What travels between processes; short names because a NOTIFY holds less than 8000 bytes. */
type Note = { a: string; t: Topic; i: number | null };

/**
 * Who is in lists, or has left: also what campaigns that have not begun and the dashboard say of lists, and the names in chats.
 */
export function publishPeople(changes: Pick<Changes, "mark">, accountId: string): void {
  for (const topic of ["contacts", "campaigns", "chats"] as const) changes.mark(accountId, topic);
}

/** In the place of an account: all of them. */
const EVERYBODY = "*";

const CHANNEL = "recado_changes";
const WINDOW_MS = 500;
const MAX_PAYLOAD = 7_500;
/** More rows of one topic than this in one window are told as "any number": the page asks for its list either way. */
const MAX_IDS = 20;

/**
 * Changes of data, told live to every page of the account that looks at them. One NOTIFY per process and window, outside
 * any transaction: NOTIFY inside one would serialise its commit with all others.
 */
export async function openLiveUpdates(database: Database, log: Logger): Promise<Changes> {
  const subscribers = new Set<Subscriber>();
  let marks = new Map<string, Set<number | null>>();
  let timer: NodeJS.Timeout | undefined;
  let closed = false;

  const listener = await database.listen(
    CHANNEL,
    (payload) => {
      const notes = JSON.parse(payload) as Note[];
      if (notes.some(({ a }) => a === EVERYBODY)) return missed();
      deliver(subscribers, notes);
    },
    missed,
  );

  /** What happened meanwhile is unknown: everybody looks again. */
  function missed(): void {
    for (const { onChange } of subscribers) for (const topic of TOPICS) onChange({ topic, id: null });
  }

  function soon(): void {
    timer ??= setTimeout(() => {
      timer = undefined;
      void flush();
    }, WINDOW_MS);
  }

  async function flush(): Promise<void> {
    if (marks.size === 0) return;
    const told = marks;
    marks = new Map();
    try {
      for (const payload of payloads(notesOf(told))) {
        await sql`select pg_notify(${CHANNEL}, ${payload})`.execute(database.db);
      }
    } catch (error) {
      log.warn({ err: error }, "changes could not be told, trying again");
      for (const [key, ids] of told) marks.set(key, new Set([...(marks.get(key) ?? []), ...ids]));
      soon();
    }
  }

  return {
    mark(accountId, topic, id) {
      const key = `${accountId} ${topic}`;
      const ids = marks.get(key) ?? new Set();
      marks.set(key, ids.add(id ?? null));
      // Requests that are being answered end after the streams, and soon after them the database is closed.
      if (closed) void flush();
      else soon();
    },
    subscribe(subscriber) {
      subscribers.add(subscriber);
      return () => subscribers.delete(subscriber);
    },
    publishAll: async () => {
      const note: Note = { a: EVERYBODY, t: "campaigns", i: null };
      await sql`select pg_notify(${CHANNEL}, ${JSON.stringify([note])})`.execute(database.db);
    },
    watched: () => [...new Set([...subscribers].map(({ accountId }) => accountId))],
    streams: () => subscribers.size,
    tellHere: (accountId, topic) => deliver(subscribers, [{ a: accountId, t: topic, i: null }]),
    async close() {
      closed = true;
      clearTimeout(timer);
      await flush();
      clearTimeout(timer);
      for (const { onEnd } of [...subscribers]) onEnd();
      await listener.close();
    },
  };
}

function notesOf(marks: Map<string, Set<number | null>>): Note[] {
  const notes: Note[] = [];
  for (const [key, ids] of marks) {
    const [a = "", t = ""] = key.split(" ");
    const told = ids.has(null) || ids.size > MAX_IDS ? [null] : [...ids];
    for (const i of told) notes.push({ a, t: t as Topic, i });
  }
  return notes;
}

/** As few payloads as hold all notes. */
function payloads(notes: Note[]): string[] {
  const out: string[] = [];
  let current: string[] = [];
  let size = 2;
  for (const note of notes.map((each) => JSON.stringify(each))) {
    if (size + note.length > MAX_PAYLOAD) {
      out.push(`[${current.join()}]`);
      current = [];
      size = 2;
    }
    current.push(note);
    size += note.length + 1;
  }
  return current.length > 0 ? [...out, `[${current.join()}]`] : out;
}

function deliver(subscribers: Set<Subscriber>, notes: Note[]): void {
  for (const { accountId, onChange } of [...subscribers]) {
    for (const { a, t, i } of notes) if (a === accountId) onChange({ topic: t, id: i });
  }
}
