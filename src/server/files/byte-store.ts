import fs from "node:fs";
import path from "node:path";
import { Readable } from "node:stream";
import { AppError } from "../../domain/errors.ts";
import { codeOf } from "../base/start-error.ts";

export type Content = string | Uint8Array | AsyncIterable<Uint8Array>;

/** Inclusive, in bytes. */
export type ByteRange = { start: number; end: number };

/**
 * Attachments' bytes by a random key, so that a key is written once and deleted once. Throws `unavailable`
 * when full or away, and `attachment_lost` for a missing key.
 */
export type ByteStore = {
  /** A path, or the bytes themselves. */
  put(key: string, content: Content): Promise<void>;
  open(key: string, range?: ByteRange): Promise<Readable>;
  /** A missing key is no error. */
  remove(key: string): Promise<void>;
  /** Of unfinished writes too. */
  keys(): AsyncIterable<{ key: string; at: Date }>;
  /** Brings in what still lies in the store before it. */
  gather?(): Promise<void>;
};

/** Bytes of a row whose migration to the store is still to come are in memory. */
export async function openBytes(
  store: ByteStore | null,
  { key, bytes }: { key: string | null; bytes: Uint8Array | null },
  range?: ByteRange,
): Promise<Readable> {
  if (bytes) return Readable.from([range ? bytes.subarray(range.start, range.end + 1) : bytes]);
  if (key === null || store === null) throw new AppError("attachment_lost");
  return store.open(key, range);
}

export async function isLost(store: ByteStore, place: Parameters<typeof openBytes>[1]): Promise<boolean> {
  try {
    (await openBytes(store, place, { start: 0, end: 0 })).destroy();
    return false;
  } catch (error) {
    if (error instanceof AppError && error.code === "attachment_lost") return true;
    throw error;
  }
}

const DISK_CODES = new Set(["ENOSPC", "EDQUOT", "EIO", "EROFS", "EMFILE", "ENFILE"]);
const PART = ".part";
export const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Two letters, then the key: a folder of a million names is slow. */
export function placeOfKey(key: string): string {
  if (!UUID.test(key)) throw new TypeError("not a key of the store");
  return `${key.slice(0, 2)}/${key}`;
}

export function unavailableDisk(error: unknown): unknown {
  return DISK_CODES.has(codeOf(error)) ? new AppError("unavailable", { retryAfter: 60 }) : error;
}

/** In `attachments/` of the data folder, which all processes share. */
export class DiskStore implements ByteStore {
  readonly #folder: string;

  constructor(dataFolder: string) {
    this.#folder = path.join(dataFolder, "attachments");
    fs.mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
  }

  async put(key: string, content: Content): Promise<void> {
    const place = this.#placeOf(key);
    const draft = place + PART;
    try {
      await fs.promises.mkdir(path.dirname(place), { recursive: true, mode: 0o700 });
      if (typeof content === "string") await fs.promises.copyFile(content, draft, fs.constants.COPYFILE_EXCL);
      else await fs.promises.writeFile(draft, content, { flag: "wx", mode: 0o600 });
      await syncFile(draft);
      await fs.promises.rename(draft, place);
    } catch (error) {
      await fs.promises.rm(draft, { force: true });
      throw unavailableDisk(error);
    }
  }

  async open(key: string, range?: ByteRange): Promise<Readable> {
    try {
      const handle = await fs.promises.open(this.#placeOf(key), "r");
      return handle.createReadStream(range ?? {});
    } catch (error) {
      if (codeOf(error) === "ENOENT") throw new AppError("attachment_lost");
      throw unavailableDisk(error);
    }
  }

  async remove(key: string): Promise<void> {
    for (const ending of ["", PART]) await fs.promises.rm(this.#placeOf(key) + ending, { force: true });
  }

  async *keys(): AsyncGenerator<{ key: string; at: Date }> {
    for (const part of await fs.promises.readdir(this.#folder)) {
      const folder = path.join(this.#folder, part);
      for (const name of await fs.promises.readdir(folder)) {
        const key = name.replace(PART, "");
        const found = UUID.test(key)
          ? await fs.promises.stat(path.join(folder, name)).catch(() => null)
          : null;
        if (found) yield { key, at: found.mtime };
      }
    }
  }

  #placeOf(key: string): string {
    return path.join(this.#folder, placeOfKey(key));
  }
}

/** Otherwise a power cut may leave an empty file under a key that a row names. */
async function syncFile(file: string): Promise<void> {
  const handle = await fs.promises.open(file, "r+");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
