import { isDatabaseDown } from "../db/errors.ts";

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

type Waiter = { resolve(): void; reject(error: unknown): void };
type Place<Row> = { row: Row; bytes: number; waiters: Waiter[] };

/**
 * Rows queue during a commit and share the next. A commit per row would make the disk the limit (0.35 of the
 * parsing rate, against 0.8).
 */
export class GroupCommit<Row> {
  readonly #options: GroupOptions<Row>;
  readonly #shares = new Map<string, { rows: number; bytes: number }>();
  #queue: Place<Row>[] = [];
  #named = new Map<string, Place<Row>>();
  #bytes = 0;
  #running: Promise<void> | null = null;

  constructor(options: GroupOptions<Row>) {
    this.#options = options;
  }

  put(row: Row): Promise<void> {
    const name = this.#options.nameOf(row);
    const twin = name === null ? undefined : this.#named.get(name);
    if (!twin && !this.#hasRoom(row)) return Promise.reject(new Busy());
    return new Promise((resolve, reject) => {
      const waiter = { resolve, reject };
      if (twin) this.#merge(twin, row, waiter);
      else this.#add(name, row, waiter);
    });
  }

  waiting(): number {
    return this.#queue.length;
  }

  async idle(): Promise<void> {
    while (this.#running) await this.#running;
  }

  #hasRoom(row: Row): boolean {
    const { maxWaiting, maxWaitingBytes, share, bytesOf, ownerOf } = this.#options;
    const more = bytesOf(row);
    const own = this.#shares.get(ownerOf(row));
    if (this.#queue.length >= maxWaiting || this.#bytes + more > maxWaitingBytes) return false;
    return !own || (own.rows < maxWaiting * share && own.bytes + more <= maxWaitingBytes * share);
  }

  #merge(twin: Place<Row>, row: Row, waiter: Waiter): void {
    const { newer, bytesOf, ownerOf } = this.#options;
    const before = twin.bytes;
    twin.row = newer(twin.row, row);
    twin.bytes = bytesOf(twin.row);
    twin.waiters.push(waiter);
    this.#count(ownerOf(row), 0, twin.bytes - before);
  }

  #add(name: string | null, row: Row, waiter: Waiter): void {
    const { bytesOf, ownerOf } = this.#options;
    const place = { row, bytes: bytesOf(row), waiters: [waiter] };
    this.#queue.push(place);
    if (name !== null) this.#named.set(name, place);
    this.#count(ownerOf(row), 1, place.bytes);
    this.#running ??= this.#run();
  }

  #count(owner: string, rows: number, bytes: number): void {
    this.#bytes += bytes;
    const before = this.#shares.get(owner) ?? { rows: 0, bytes: 0 };
    const now = { rows: before.rows + rows, bytes: before.bytes + bytes };
    if (now.rows > 0) this.#shares.set(owner, now);
    else this.#shares.delete(owner);
  }

  async #run(): Promise<void> {
    // Once per event loop turn, to include all arrived rows.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.#queue.length > 0) await this.#store(this.#next());
    this.#running = null;
  }

  #next(): Place<Row>[] {
    const { nameOf, ownerOf } = this.#options;
    const rows = this.#rowsOfBatch();
    const isAll = rows === this.#queue.length;
    const batch = isAll ? this.#queue : this.#queue.slice(0, rows);
    this.#queue = isAll ? [] : this.#queue.slice(rows);
    for (const { row, bytes } of batch) this.#count(ownerOf(row), -1, -bytes);
    if (isAll) this.#named = new Map();
    else for (const { row } of batch) this.#named.delete(nameOf(row) ?? "");
    return batch;
  }

  #rowsOfBatch(): number {
    const { maxRows, maxBytes } = this.#options;
    let size = 0;
    let rows = 0;
    for (const { bytes } of this.#queue) {
      if (rows > 0 && (rows >= maxRows || size + bytes > maxBytes)) break;
      size += bytes;
      rows += 1;
    }
    return rows;
  }

  async #store(batch: readonly Place<Row>[]): Promise<void> {
    try {
      await this.#options.insert(batch.map(({ row }) => row));
      // First: their follow-ups join the next statement (a tenth more events a second).
      for (const { waiters } of batch) for (const waiter of waiters) waiter.resolve();
    } catch (error) {
      if (batch.length > 1 && !isDatabaseDown(error)) for (const place of batch) await this.#store([place]);
      else for (const { waiters } of batch) for (const waiter of waiters) waiter.reject(error);
    }
  }
}
