import { createHash, randomUUID } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { AppError } from "../../domain/errors.ts";
import { codeOf } from "../base/start-error.ts";

export type Received = { id: string; bytes: number; sha256: Buffer };

/** In `imports/` of the data folder. */
export type Spool = {
  /** Distinguishes hosts on the same database. */
  folderId: string;
  /** Throws `upload_stalled`, `unavailable`. */
  receive(body: AsyncIterable<Uint8Array>): Promise<Received>;
  path(id: string): string;
  exists(id: string): boolean;
  remove(id: string): void;
  /** Unchanged for `idleMs`. */
  sweep(wanted: ReadonlySet<string>, idleMs: number): void;
};

const STALL_MS = 60_000;
/** Else a byte a minute blocks a slot; 8.7 kB/s is below any network. */
const LEAST_BYTES = 512 * 1024;
const UUID = /^[0-9a-f-]{36}$/;

export function openSpool(dataFolder: string, stallMs = STALL_MS): Spool {
  const folder = path.join(dataFolder, "imports");
  fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
  const place = (id: string) => path.join(folder, id);
  const remove = (id: string) => fs.rmSync(place(id), { force: true });

  return {
    folderId: folderIdOf(folder),
    path: place,
    exists: (id) => fs.existsSync(place(id)),
    remove,
    async receive(body) {
      const id = randomUUID();
      try {
        return { id, ...(await write(place(id), body, stallMs)) };
      } catch (error) {
        remove(id);
        throw uploadError(error);
      }
    },
    sweep(wanted, idleMs) {
      for (const name of fs.readdirSync(folder)) {
        if (!UUID.test(name) || wanted.has(name)) continue;
        const file = fs.statSync(place(name), { throwIfNoEntry: false });
        if (file && Date.now() - file.mtimeMs >= idleMs) remove(name);
      }
    },
  };
}

/** Created atomically: processes starting at once agree. */
function folderIdOf(folder: string): string {
  const file = path.join(folder, "folder-id");
  const draft = `${file}.${process.pid}`;
  if (!fs.existsSync(file)) {
    fs.writeFileSync(draft, randomUUID(), { mode: 0o600 });
    try {
      fs.linkSync(draft, file);
    } catch {}
    fs.rmSync(draft, { force: true });
  }
  return fs.readFileSync(file, "utf8").trim();
}

async function write(
  file: string,
  body: AsyncIterable<Uint8Array>,
  stallMs: number,
): Promise<Omit<Received, "id">> {
  const handle = await fs.promises.open(file, "wx", 0o600);
  const hash = createHash("sha256");
  let bytes = 0;
  try {
    for await (const chunk of untilStalled(body, stallMs)) {
      hash.update(chunk);
      bytes += chunk.length;
      await handle.writeFile(chunk);
    }
    // Promised even after a power failure.
    await handle.sync();
  } finally {
    await handle.close();
  }
  return { bytes, sha256: hash.digest() };
}

/** Throws below the minimum rate too. */
async function* untilStalled(body: AsyncIterable<Uint8Array>, stallMs: number): AsyncGenerator<Uint8Array> {
  const chunks = body[Symbol.asyncIterator]();
  const stalled = Promise.withResolvers<never>();
  // The rejection is handled at the next await.
  stalled.promise.catch(() => undefined);
  let arrived = 0;
  let hasCome = false;
  let enough = LEAST_BYTES;
  const timer = setInterval(() => {
    if (!hasCome || arrived < enough) stalled.reject(new AppError("upload_stalled"));
    hasCome = false;
    enough += LEAST_BYTES;
  }, stallMs);
  try {
    for (;;) {
      const { done, value } = await Promise.race([chunks.next(), stalled.promise]);
      if (done) return;
      hasCome = true;
      arrived += value.length;
      yield value;
    }
  } finally {
    clearInterval(timer);
    // Not awaited: a stalled stream may never answer.
    void chunks.return?.()?.catch(() => undefined);
  }
}

const DISK_CODES = new Set(["ENOSPC", "EDQUOT", "EIO", "EROFS", "EMFILE", "ENFILE"]);

function uploadError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  if (DISK_CODES.has(codeOf(error))) return new AppError("unavailable", { retryAfter: 60 });
  return new AppError("upload_stalled");
}
