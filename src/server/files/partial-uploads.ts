import { randomUUID } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { AppError } from "../../domain/errors.ts";
import { codeOf } from "../base/start-error.ts";
import { uploadError } from "./upload-error.ts";

/** Empty ones count no bytes, and would fill the folder. */
const MOST_OF_ACCOUNT = 64;
const NAME = /^([\w-]+)\.((\d+)-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

/** `offset`: where the next piece begins; `bytes`: of the whole file. */
export type PartialUpload = { id: string; offset: number; bytes: number };

/**
 * Files that arrive in pieces. A file's name and size say all about it, so any process of the data folder takes
 * the next piece. Throws `not_found`, `upload_offset`, `unavailable`.
 */
export class PartialUploads {
  readonly #folder: string;
  readonly #longestMs: number;

  constructor(folder: string, longestMs: number) {
    this.#folder = folder;
    this.#longestMs = longestMs;
  }

  async create(accountId: string, bytes: number): Promise<PartialUpload> {
    const id = `${bytes}-${randomUUID()}`;
    try {
      await fs.promises.writeFile(this.fileOf(accountId, id), "", { flag: "wx", mode: 0o600 });
    } catch (error) {
      throw uploadError(error);
    }
    return { id, offset: 0, bytes };
  }

  async find(accountId: string, id: string): Promise<PartialUpload> {
    const found = await fs.promises.stat(this.fileOf(accountId, id)).catch(absent);
    if (!found) throw new AppError("not_found");
    return { id, offset: found.size, bytes: bytesOf(id) };
  }

  async append(
    accountId: string,
    id: string,
    { offset, body }: { offset: number; body: AsyncIterable<Uint8Array> },
  ): Promise<PartialUpload> {
    const { offset: expected, bytes } = await this.find(accountId, id);
    if (offset !== expected) throw new AppError("upload_offset", { offset: expected });
    let at = offset;
    try {
      const handle = await fs.promises.open(this.fileOf(accountId, id), "r+");
      try {
        for await (const chunk of body) {
          if (at + chunk.byteLength > bytes) throw new AppError("payload_too_large");
          // At its own place: what a lost connection still delivers later then changes nothing.
          at = await writeAt(handle, chunk, at);
        }
      } finally {
        await handle.close();
      }
    } catch (error) {
      throw uploadError(error);
    }
    return { id, offset: at, bytes };
  }

  async remove(accountId: string, id: string): Promise<void> {
    await this.find(accountId, id);
    await fs.promises.rm(this.fileOf(accountId, id), { force: true });
  }

  /** Removes those that no piece reached for long. */
  async waitingOf(accountId: string, now: Date): Promise<{ count: number; bytes: number }> {
    const own = (await this.#names()).filter((name) => name.startsWith(`${accountId}.`));
    const waiting = { count: 0, bytes: 0 };
    for (const name of own) {
      if (await this.#isOver(name, now)) continue;
      waiting.count += 1;
      waiting.bytes += bytesOf(name.slice(accountId.length + 1));
    }
    return waiting;
  }

  async sweep(now: Date): Promise<void> {
    for (const name of await this.#names()) await this.#isOver(name, now);
  }

  fileOf(accountId: string, id: string): string {
    const name = `${accountId}.${id}`;
    if (!NAME.test(name)) throw new AppError("not_found");
    return path.join(this.#folder, name);
  }

  async #names(): Promise<string[]> {
    return (await fs.promises.readdir(this.#folder)).filter((name) => NAME.test(name));
  }

  async #isOver(name: string, now: Date): Promise<boolean> {
    const file = path.join(this.#folder, name);
    const found = await fs.promises.stat(file).catch(absent);
    if (found && now.getTime() - found.mtimeMs <= this.#longestMs) return false;
    await fs.promises.rm(file, { force: true });
    return true;
  }
}

export const tooMany = ({ count }: { count: number }): boolean => count > MOST_OF_ACCOUNT;

const bytesOf = (id: string) => Number(id.split("-")[0]);

function absent(error: unknown): null {
  if (codeOf(error) === "ENOENT") return null;
  throw uploadError(error);
}

async function writeAt(handle: fs.promises.FileHandle, chunk: Uint8Array, at: number): Promise<number> {
  for (let done = 0; done < chunk.byteLength; ) {
    const { bytesWritten } = await handle.write(chunk, done, chunk.byteLength - done, at + done);
    done += bytesWritten;
  }
  return at + chunk.byteLength;
}
