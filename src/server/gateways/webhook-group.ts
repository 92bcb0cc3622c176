import { isDatabaseDown } from "../db/errors.ts";

/** The queue is full: the caller should retry. */
export class Busy extends Error {}

export type GroupOptions<Row> = {
  /** One statement and commit; repeats are dropped by key. */
  insert(rows: readonly Row[]): Promise<unknown>;
  /** Waiting rows of one name are merged by `newer`. Null: never merged. */
  nameOf(row: Row): string | null;
  newer(a: Row, b: Row): Row;
  bytesOf(row: Row): number;
  ownerOf(row: Row): string;
  maxRows: number;
  maxBytes: number;
  /** In all, and per owner; one row per owner may always wait. */
  maxWaiting: number;
  maxWaitingBytes: number;
  share: number;
};

export type Group<Row> = {
  /** Resolves at the commit. Rejects with `Busy` or the database error. */
  put(row: Row): Promise<void>;
  waiting(): number;
  idle(): Promise<void>;
};

type Waiter = { resolve(): void; reject(error: unknown): void };
type Place<Row> = { row: Row; bytes: number; waiters: Waiter[] };

/**
 * Rows queue during a commit and share the next. A commit per row would make the disk the limit (0.35 of the
 * parsing rate, against 0.8).
 */
export function groupCommit<Row>(options: GroupOptions<Row>): Group<Row> {
  const { nameOf, newer, bytesOf } = options;
  let queue: Place<Row>[] = [];
  let named = new Map<string, Place<Row>>();
  let bytes = 0;
  let running: Promise<void> | null = null;
  const shares = new Map<string, { rows: number; bytes: number }>();

  function hasRoom(owner: string, more: number): boolean {
    const { maxWaiting, maxWaitingBytes, share } = options;
    const own = shares.get(owner);
    if (queue.length >= maxWaiting || bytes + more > maxWaitingBytes) return false;
    return !own || (own.rows < maxWaiting * share && own.bytes + more <= maxWaitingBytes * share);
  }

  function count(owner: string, rows: number, more: number): void {
    bytes += more;
    const before = shares.get(owner) ?? { rows: 0, bytes: 0 };
    const now = { rows: before.rows + rows, bytes: before.bytes + more };
    if (now.rows > 0) shares.set(owner, now);
    else shares.delete(owner);
  }

  function put(row: Row): Promise<void> {
    const name = nameOf(row);
    const twin = name === null ? undefined : named.get(name);
    const more = bytesOf(row);
    const owner = options.ownerOf(row);
    if (!twin && !hasRoom(owner, more)) return Promise.reject(new Busy());
    return new Promise((resolve, reject) => {
      const waiter = { resolve, reject };
      if (twin) {
        const before = twin.bytes;
        twin.row = newer(twin.row, row);
        twin.bytes = bytesOf(twin.row);
        twin.waiters.push(waiter);
        count(owner, 0, twin.bytes - before);
        return;
      }
      const place = { row, bytes: more, waiters: [waiter] };
      queue.push(place);
      if (name !== null) named.set(name, place);
      count(owner, 1, more);
      running ??= run();
    });
  }

  async function run(): Promise<void> {
    // Once per event loop turn, to include all arrived rows.
    await new Promise((resolve) => setImmediate(resolve));
    while (queue.length > 0) await store(next());
    running = null;
  }

  function next(): Place<Row>[] {
    let size = 0;
    let rows = 0;
    for (const place of queue) {
      if (rows > 0 && (rows >= options.maxRows || size + place.bytes > options.maxBytes)) break;
      size += place.bytes;
      rows += 1;
    }
    const batch = rows === queue.length ? queue : queue.slice(0, rows);
    queue = rows === queue.length ? [] : queue.slice(rows);
    for (const { row, bytes: its } of batch) count(options.ownerOf(row), -1, -its);
    if (queue.length === 0) named = new Map();
    else for (const { row } of batch) named.delete(nameOf(row) ?? "");
    return batch;
  }

  async function store(batch: readonly Place<Row>[]): Promise<void> {
    try {
      await options.insert(batch.map(({ row }) => row));
      // First: their follow-ups join the next statement (a tenth more events a second).
      for (const { waiters } of batch) for (const waiter of waiters) waiter.resolve();
    } catch (error) {
      // One refused row must not fail the others.
      if (batch.length > 1 && !isDatabaseDown(error)) for (const place of batch) await store([place]);
      else for (const { waiters } of batch) for (const waiter of waiters) waiter.reject(error);
    }
  }

  return {
    put,
    waiting: () => queue.length,
    async idle() {
      while (running) await running;
    },
  };
}
