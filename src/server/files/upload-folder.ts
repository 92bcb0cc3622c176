import { randomUUID } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { AppError } from "../../domain/errors.ts";
import { type PartialUpload, PartialUploads, tooMany } from "./partial-uploads.ts";
import { uploadError } from "./upload-error.ts";

/** Bytes per account; beyond this only that account must wait. */
const MOST_OF_ACCOUNT = 256 * 1024 * 1024;
const LONGEST_MS = 60 * 60_000;
const RETRY_AFTER_S = 5;
const UUID = /^[0-9a-f-]{36}$/;

/** `waiting`: bytes of the account elsewhere. */
type Upload = { accountId: string; bytes: number; waiting?: number; body: AsyncIterable<Uint8Array> };

/** Uploads wait on disk in `pictures/`, so that a thousand use no memory. */
export class UploadFolder {
  readonly partial: PartialUploads;
  readonly #folder: string;
  readonly #mostOfAccount: number;
  readonly #bytes = new Map<string, number>();

  constructor(dataFolder: string, mostOfAccount = MOST_OF_ACCOUNT) {
    this.#folder = path.join(dataFolder, "pictures");
    this.#mostOfAccount = mostOfAccount;
    fs.mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    this.partial = new PartialUploads(this.#folder, LONGEST_MS);
  }

  /** Throws `too_many_requests`, `unavailable`. */
  async begin(accountId: string, bytes: number, now: Date): Promise<PartialUpload> {
    const begun = await this.partial.create(accountId, bytes);
    // Counted with itself: of two that begin at once neither overlooks the other.
    const waiting = await this.partial.waitingOf(accountId, now);
    const inMemory = this.#bytes.get(accountId) ?? 0;
    if (!tooMany(waiting) && waiting.bytes + inMemory <= this.#mostOfAccount) return begun;
    await this.partial.remove(accountId, begun.id);
    throw new AppError("too_many_requests", { retryAfter: RETRY_AFTER_S });
  }

  /** Throws `too_many_requests`, `unavailable`. The file is removed after `use`. */
  async during<T>(
    { accountId, bytes, waiting = 0, body }: Upload,
    use: (file: string) => Promise<T>,
  ): Promise<T> {
    const before = this.#bytes.get(accountId) ?? 0;
    if (before + bytes + waiting > this.#mostOfAccount)
      throw new AppError("too_many_requests", { retryAfter: RETRY_AFTER_S });
    this.#bytes.set(accountId, before + bytes);
    const file = path.join(this.#folder, randomUUID());
    try {
      await write(file, body);
      return await use(file);
    } finally {
      await fs.promises.rm(file, { force: true });
      this.#giveBack(accountId, bytes);
    }
  }

  /** Removes files of crashed processes, not those of running ones. */
  async sweep(now: Date): Promise<void> {
    await this.partial.sweep(now);
    for (const name of await fs.promises.readdir(this.#folder)) {
      const file = path.join(this.#folder, name);
      const found = UUID.test(name) ? await fs.promises.stat(file).catch(() => null) : null;
      if (found && now.getTime() - found.mtimeMs > LONGEST_MS) await fs.promises.rm(file, { force: true });
    }
  }

  #giveBack(accountId: string, bytes: number): void {
    const left = (this.#bytes.get(accountId) ?? 0) - bytes;
    if (left > 0) this.#bytes.set(accountId, left);
    else this.#bytes.delete(accountId);
  }
}

async function write(file: string, body: AsyncIterable<Uint8Array>): Promise<void> {
  try {
    const handle = await fs.promises.open(file, "wx", 0o600);
    try {
      for await (const chunk of body) await handle.writeFile(chunk);
    } finally {
      await handle.close();
    }
  } catch (error) {
    throw uploadError(error);
  }
}
