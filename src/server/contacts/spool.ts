import { createHash, randomUUID } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { AppError } from "../../domain/errors.ts";
import { refuseBinary, SIGNATURE_BYTES } from "../../domain/text-encoding.ts";
import { codeOf } from "../base/start-error.ts";

/** A file that has fully arrived and is on the disk. */
export type Received = { id: string; bytes: number; sha256: Buffer };

/** Where uploaded files wait until their import is over: `imports/` of the data folder. */
export type Spool = {
  /** Tells this folder from that of another host on the same database. */
  folderId: string;
  /**
   * Writes a body while it arrives. Whatever goes wrong, nothing of it stays. Throws `import_not_csv` (for a file), `upload_stalled`,
   * `unavailable`.
   */
  receive(body: AsyncIterable<Uint8Array>, format: "csv" | "json"): Promise<Received>;
  path(id: string): string;
  exists(id: string): boolean;
  remove(id: string): void;
  /** Removes what no import waits for and nobody is writing (unchanged for `idleMs`). */
  sweep(wanted: ReadonlySet<string>, idleMs: number): void;
};

/** No byte for this long, and the upload is given up. */
const STALL_MS = 60_000;
/** Bytes of every such while: one each minute would hold a place and a file for ever. 8.7 kB a second are less than the slowest network's. */
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
    async receive(body, format) {
      const id = randomUUID();
      try {
        return { id, ...(await write(place(id), body, { format, stallMs })) };
      } catch (error) {
        remove(id);
        throw uploadError(error);
      }
    },
    sweep(wanted, idleMs) {
      for (const name of fs.readdirSync(folder)) {
        if (!UUID.test(name) || wanted.has(name)) continue;
        // Another process on this folder may have been faster.
        const file = fs.statSync(place(name), { throwIfNoEntry: false });
        if (file && Date.now() - file.mtimeMs >= idleMs) remove(name);
      }
    },
  };
}

/** A name that the folder keeps for itself. Two processes that begin at once agree: the file appears whole or not at all. */
function folderIdOf(folder: string): string {
  const file = path.join(folder, "folder-id");
  const draft = `${file}.${process.pid}`;
  if (!fs.existsSync(file)) {
    fs.writeFileSync(draft, randomUUID(), { mode: 0o600 });
    try {
      fs.linkSync(draft, file);
    } catch {
      // Another process was first; its name counts.
    }
    fs.rmSync(draft, { force: true });
  }
  return fs.readFileSync(file, "utf8").trim();
}

async function write(
  file: string,
  body: AsyncIterable<Uint8Array>,
  { format, stallMs }: { format: "csv" | "json"; stallMs: number },
): Promise<Omit<Received, "id">> {
  const handle = await fs.promises.open(file, "wx", 0o600);
  const hash = createHash("sha256");
  let bytes = 0;
  let head = Buffer.alloc(0);
  let fault: unknown = null;
  try {
    for await (const chunk of untilStalled(body, stallMs)) {
      if (format === "csv" && head.length < SIGNATURE_BYTES) {
        head = Buffer.concat([head, chunk.subarray(0, SIGNATURE_BYTES)]);
        fault ??= binaryError(head);
      }
      // Refused, yet read to its end: a browser that is still sending would show a broken connection instead of our words.
      if (fault) continue;
      hash.update(chunk);
      bytes += chunk.length;
      await handle.writeFile(chunk);
    }
    if (fault) throw fault;
    // The answer promises that the import will happen, also after the power fails.
    await handle.sync();
  } finally {
    await handle.close();
  }
  return { bytes, sha256: hash.digest() };
}

function binaryError(head: Uint8Array): unknown {
  try {
    refuseBinary(head);
    return null;
  } catch (error) {
    return error;
  }
}

/** The same chunks; throws when none came for `stallMs`, or fewer bytes than the least rate allows. */
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
    // Not awaited: a stream that gives nothing any more need not answer this either.
    void chunks.return?.()?.catch(() => undefined);
  }
}

const DISK_CODES = new Set(["ENOSPC", "EDQUOT", "EIO", "EROFS", "EMFILE", "ENFILE"]);

function uploadError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  if (DISK_CODES.has(codeOf(error))) return new AppError("unavailable", { retryAfter: 60 });
  return new AppError("upload_stalled");
}
