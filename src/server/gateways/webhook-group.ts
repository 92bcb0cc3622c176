import { isDatabaseDown } from "../db/faults.ts";

/** Too much waits already: the caller is told to come back. */
export class Busy extends Error {}

export type GroupOptions<Row> = {
  /** Stores rows in one statement and one commit; repeats within and without are dropped by their key. */
  insert(rows: readonly Row[]): Promise<unknown>;
  /** Rows of equal name are folded while they wait: the one that `newer` prefers is stored for all who wait. Null: never folded. */
  nameOf(row: Row): string | null;
  newer(a: Row, b: Row): Row;
  bytesOf(row: Row): number;
  /** Of one statement. */
  maxRows: number;
  maxBytes: number;
  /** Of what may wait. */
  maxWaiting: number;
  maxWaitingBytes: number;
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

  function put(row: Row): Promise<void> {
    const name = nameOf(row);
    const twin = name === null ? undefined : named.get(name);
    const more = bytesOf(row);
    if (!twin && (queue.length >= options.maxWaiting || bytes + more > options.maxWaitingBytes))
      return Promise.reject(new Busy());
    return new Promise((resolve, reject) => {
      const waiter = { resolve, reject };
      if (twin) {
        bytes -= twin.bytes;
        twin.row = newer(twin.row, row);
        twin.bytes = bytesOf(twin.row);
        twin.waiters.push(waiter);
        bytes += twin.bytes;
        return;
      }
      const place = { row, bytes: more, waiters: [waiter] };
      queue.push(place);
      if (name !== null) named.set(name, place);
      bytes += more;
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
    let count = 0;
    for (const place of queue) {
      if (count > 0 && (count >= options.maxRows || size + place.bytes > options.maxBytes)) break;
      size += place.bytes;
      count += 1;
    }
    const batch = count === queue.length ? queue : queue.slice(0, count);
    queue = count === queue.length ? [] : queue.slice(count);
    bytes -= size;
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
