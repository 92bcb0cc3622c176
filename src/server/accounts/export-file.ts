import { randomUUID } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { AppError } from "../../domain/errors.ts";
import { isDiskLow } from "../base/disk.ts";

/** Bytes gathered before a write, and bytes per read. */
const PIECE = 256 * 1024;
/** Bytes between disk space checks: PostgreSQL uses the same disk. */
const LOOK_EVERY = 16 * 1024 * 1024;

/** Also removes files of killed processes. */
export function openExportFolder(dataFolder: string): string {
  const folder = path.join(dataFolder, "exports");
  fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (const name of fs.readdirSync(folder)) fs.rmSync(path.join(folder, name), { force: true });
  return folder;
}

export class ExportFile {
  readonly #folder: string;
  readonly #name: string;
  readonly #handle: fs.promises.FileHandle;
  #gathered: Uint8Array[] = [];
  #gatheredBytes = 0;
  #written = 0;
  #lookedAt = 0;
  #state: "writing" | "whole" | "failed" = "writing";
  #error: unknown;
  #moved = Promise.withResolvers<void>();

  private constructor(folder: string, name: string, handle: fs.promises.FileHandle) {
    this.#folder = folder;
    this.#name = name;
    this.#handle = handle;
  }

  /** Throws `unavailable` when the disk is nearly full. */
  static async create(folder: string): Promise<ExportFile> {
    await refuseLowDisk(folder);
    const name = path.join(folder, randomUUID());
    const file = new ExportFile(folder, name, await fs.promises.open(name, "wx+", 0o600));
    // Where open files cannot be unlinked, `close` does it.
    await fs.promises.rm(name, { force: true }).catch(() => undefined);
    return file;
  }

  async append(bytes: Uint8Array): Promise<void> {
    this.#gathered.push(bytes);
    this.#gatheredBytes += bytes.length;
    if (this.#gatheredBytes >= PIECE) await this.#flush();
  }

  async finish(): Promise<void> {
    await this.#flush();
    this.#end("whole");
  }

  fail(error: unknown): void {
    this.#error = error;
    this.#end("failed");
  }

  async *read(): AsyncGenerator<Uint8Array> {
    for (let at = 0; ; ) {
      const moved = this.#moved.promise;
      if (this.#state === "failed") throw this.#error;
      if (at < this.#written) {
        const piece = Buffer.allocUnsafe(Math.min(PIECE, this.#written - at));
        const { bytesRead } = await this.#handle.read(piece, 0, piece.length, at);
        at += bytesRead;
        yield piece.subarray(0, bytesRead);
      } else if (this.#state === "whole") return;
      else await moved;
    }
  }

  async close(): Promise<void> {
    await this.#handle.close();
    await fs.promises.rm(this.#name, { force: true });
  }

  async #flush(): Promise<void> {
    if (this.#written - this.#lookedAt >= LOOK_EVERY) {
      this.#lookedAt = this.#written;
      await refuseLowDisk(this.#folder);
    }
    const bytes = Buffer.concat(this.#gathered);
    this.#gathered = [];
    this.#gatheredBytes = 0;
    for (let at = 0; at < bytes.length; ) {
      const { bytesWritten } = await this.#handle.write(bytes, at, bytes.length - at, this.#written);
      at += bytesWritten;
      this.#written += bytesWritten;
    }
    this.#move();
  }

  #end(state: "whole" | "failed"): void {
    this.#state = state;
    this.#move();
  }

  #move(): void {
    const { resolve } = this.#moved;
    this.#moved = Promise.withResolvers<void>();
    resolve();
  }
}

async function refuseLowDisk(folder: string): Promise<void> {
  if (await isDiskLow(folder)) throw new AppError("unavailable", { retryAfter: 60 });
}
