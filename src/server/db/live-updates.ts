import { sql } from "kysely";
import type { Logger } from "pino";
import { type Change, TOPICS, type Topic } from "../../contract/events.ts";
import type { Database } from "./client.ts";
import type { Listener } from "./listen.ts";

export type Changes = {
  /** Records a change. Cheap: published at most once in 500 ms. */
  mark(accountId: string, topic: Topic, id?: number): void;
  subscribe(subscriber: Subscriber): () => void;
  watched(): string[];
  streams(): number;
  /** Makes all pages at all processes refetch, after changes that were never published. */
  publishAll(): Promise<void>;
  /** Only for pages of this process, when every process hears of the change by itself. */
  notifyHere(accountId: string, topic: Topic): void;
  /** Publishes pending changes and ends all streams. Later changes are published at once. */
  close(): Promise<void>;
};

export type Subscriber = {
  accountId: string;
  onChange(change: Change): void;
  onEnd(): void;
};

/** Short names: a NOTIFY holds less than 8000 bytes. */
type Note = { a: string; t: Topic; i: number | null };

export function publishPeople(changes: Pick<Changes, "mark">, accountId: string): void {
  for (const topic of ["contacts", "campaigns", "chats"] as const) changes.mark(accountId, topic);
}

/** Publishes a campaign's change; `status`: also to screens with its connection's activity. */
export function publishCampaign(
  changes: { mark(accountId: string, topic: "campaigns" | "connections", id?: number): void },
  { accountId, campaignId }: { accountId: string; campaignId: number },
  status = false,
): void {
  changes.mark(accountId, "campaigns", campaignId);
  if (status) changes.mark(accountId, "connections");
}

const EVERYBODY = "*";
const EVERYTHING = JSON.stringify([{ a: EVERYBODY, t: "campaigns", i: null } satisfies Note]);

const CHANNEL = "recado_changes";
const WINDOW_MS = 500;
const MAX_PAYLOAD = 7_500;
/** More rows of a topic per window become "any number": the page refetches the list anyway. */
const MAX_IDS = 20;

/** One NOTIFY per process and window, outside transactions: inside, it would serialise all commits. */
export async function openLiveUpdates(database: Database, log: Logger): Promise<Changes> {
  const updates = new LiveUpdates(database, log);
  await updates.listen();
  return updates;
}

class LiveUpdates implements Changes {
  readonly #database: Database;
  readonly #log: Logger;
  readonly #subscribers = new Set<Subscriber>();
  #marks = new Map<string, Set<number | null>>();
  #listener: Listener | null = null;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(database: Database, log: Logger) {
    this.#database = database;
    this.#log = log;
  }

  async listen(): Promise<void> {
    const missed = () => this.#missed();
    this.#listener = await this.#database.listen(CHANNEL, (payload) => this.#hear(payload), missed);
  }

  mark(accountId: string, topic: Topic, id?: number): void {
    const key = `${accountId} ${topic}`;
    const ids = this.#marks.get(key) ?? new Set();
    this.#marks.set(key, ids.add(id ?? null));
    // Requests end after the streams, shortly before the database closes.
    if (this.#closed) void this.#flush();
    else this.#soon();
  }

  subscribe(subscriber: Subscriber): () => void {
    this.#subscribers.add(subscriber);
    return () => this.#subscribers.delete(subscriber);
  }

  watched(): string[] {
    return [...new Set([...this.#subscribers].map(({ accountId }) => accountId))];
  }

  streams(): number {
    return this.#subscribers.size;
  }

  publishAll(): Promise<void> {
    return this.#notify(EVERYTHING);
  }

  notifyHere(accountId: string, topic: Topic): void {
    deliver(this.#subscribers, [{ a: accountId, t: topic, i: null }]);
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await this.#flush();
    clearTimeout(this.#timer);
    for (const { onEnd } of [...this.#subscribers]) onEnd();
    await this.#listener?.close();
  }

  #hear(payload: string): void {
    const notes = JSON.parse(payload) as Note[];
    if (notes.some(({ a }) => a === EVERYBODY)) this.#missed();
    else deliver(this.#subscribers, notes);
  }

  /** Changes during the gap are unknown, so everything is refetched. */
  #missed(): void {
    for (const { onChange } of this.#subscribers) for (const topic of TOPICS) onChange({ topic, id: null });
  }

  #soon(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      void this.#flush();
    }, WINDOW_MS);
  }

  async #flush(): Promise<void> {
    if (this.#marks.size === 0) return;
    const pending = this.#marks;
    this.#marks = new Map();
    try {
      for (const payload of payloads(notesOf(pending))) await this.#notify(payload);
    } catch (error) {
      this.#log.warn({ err: error }, "changes could not be published, retrying");
      for (const [key, ids] of pending)
        this.#marks.set(key, new Set([...(this.#marks.get(key) ?? []), ...ids]));
      this.#soon();
    }
  }

  async #notify(payload: string): Promise<void> {
    await sql`select pg_notify(${CHANNEL}, ${payload})`.execute(this.#database.db);
  }
}

function notesOf(marks: Map<string, Set<number | null>>): Note[] {
  const notes: Note[] = [];
  for (const [key, ids] of marks) {
    const [a = "", t = ""] = key.split(" ");
    const noted = ids.has(null) || ids.size > MAX_IDS ? [null] : [...ids];
    for (const i of noted) notes.push({ a, t: t as Topic, i });
  }
  return notes;
}

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
