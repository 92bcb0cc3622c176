import type { Readable } from "node:stream";
import { AppError } from "../../domain/errors.ts";
import type { ByteRange, ByteStore, Content } from "./byte-store.ts";

/**
 * New bytes go into `store`; those written before it was chosen stay readable on the disk until `gather` moved
 * them. The disk is asked first: what left it is in the store already.
 */
export class StoreAfterDisk implements ByteStore {
  readonly #disk: ByteStore;
  readonly #store: ByteStore;

  constructor(disk: ByteStore, store: ByteStore) {
    this.#disk = disk;
    this.#store = store;
  }

  put(key: string, content: Content): Promise<void> {
    return this.#store.put(key, content);
  }

  async open(key: string, range?: ByteRange): Promise<Readable> {
    return (await openOn(this.#disk, key, range)) ?? this.#store.open(key, range);
  }

  async remove(key: string): Promise<void> {
    await this.#disk.remove(key);
    await this.#store.remove(key);
  }

  async *keys(): AsyncGenerator<{ key: string; at: Date }> {
    yield* this.#disk.keys();
    yield* this.#store.keys();
  }

  async gather(): Promise<void> {
    for await (const { key } of this.#disk.keys()) {
      const bytes = await openOn(this.#disk, key);
      if (!bytes) continue;
      await this.#store.put(key, bytes);
      await this.#disk.remove(key);
    }
  }
}

async function openOn(disk: ByteStore, key: string, range?: ByteRange): Promise<Readable | null> {
  try {
    return await disk.open(key, range);
  } catch (error) {
    if (error instanceof AppError && error.code === "attachment_lost") return null;
    throw error;
  }
}
