import { isDatabaseDown } from "../db/errors.ts";

/** Too much waits already: the caller is told to come back. */
export class Busy extends Error {}

export type GroupOptions<Row> = {
  /** Stores rows in one statement and one commit; repeats within and without are dropped by their key. */
  insert(rows: readonly Row[]): Promise<unknown>;
  /** Rows of equal name are folded while they wait: the one that `newer` prefers is stored for all who wait. Null: never folded. */
  nameOf(row: Row): string | null;
  newer(a: Row, b: Row): Row;
  bytesOf(row: Row): number;
  /** Whose row it is: each has a share of what may wait, so that one alone never refuses the others. */
  ownerOf(row: Row): string;
  /** Of one statement. */
  maxRows: number;
  maxBytes: number;
  /** Of what may wait, and of an owner's part in it. One row of an owner may always wait. */
  maxWaiting: number;
  maxWaitingBytes: number;
  share: number;
};

export type Group<Row> = {
  /** Resolves when the row is committed. Rejects with `Busy` at once, or with what the database said. */
  put(row: Row): Promise<void>;
  waiting(): number;
  /** Resolves when nothing is on its way to the database any more. */
  idle(): Promise<void>;
};

type Waiter = { resolve(): void; reject(error: unknown): void };
type Place<Row> = { row: Row; bytes: number; waiters: Waiter[] };

/**
 * Group commit: rows queue while a commit runs and go together in the next one. A commit a row would make the disk the bound
 * (0.35 of what can be parsed, against 0.8).
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
    // Once per turn of the event loop: all that has arrived meanwhile goes along.
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
    // What goes now can no longer be folded into.
    if (queue.length === 0) named = new Map();
    else for (const { row } of batch) named.delete(nameOf(row) ?? "");
    return batch;
  }

  async function store(batch: readonly Place<Row>[]): Promise<void> {
    try {
      await options.insert(batch.map(({ row }) => row));
      // Before the next statement: who is answered at once asks again in time for the one after it (a tenth more events a second).
      for (const { waiters } of batch) for (const waiter of waiters) waiter.resolve();
    } catch (error) {
      // One row that the database refuses must not cost the others theirs.
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
