import fs from "node:fs/promises";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { AppError } from "../../src/domain/errors.ts";
import type { ByteStore } from "../../src/server/files/byte-store.ts";

/** A file store as long as the test; `held` shows its bytes by key. */
export function memoryStore(now: () => Date = () => new Date()) {
  const held = new Map<string, Buffer>();
  const written = new Map<string, Date>();
  const store: ByteStore = {
    async put(key, content) {
      const bytes = typeof content === "string" ? await fs.readFile(content) : await bytesOf(content);
      held.set(key, bytes);
      written.set(key, now());
    },
    async open(key, range) {
      const bytes = held.get(key);
      if (!bytes) throw new AppError("attachment_lost");
      return Readable.from([range ? bytes.subarray(range.start, range.end + 1) : bytes]);
    },
    async remove(key) {
      held.delete(key);
    },
    async *keys() {
      for (const key of held.keys()) yield { key, at: written.get(key) ?? now() };
    },
  };
  return { ...store, held };
}

const bytesOf = (content: Uint8Array | AsyncIterable<Uint8Array>) =>
  content instanceof Uint8Array ? Buffer.from(content) : buffer(Readable.from(content));
