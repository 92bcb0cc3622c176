import fs from "node:fs";
import path from "node:path";
import { pipeline } from "node:stream/promises";
import { createGunzip, createGzip } from "node:zlib";
import { codeOf, StartError, systemReason } from "../base/start-error.ts";
import { damaged } from "./error.ts";
import { newSeal, openSeal, openStream, SEALED_HEADER, SEALED_MAGIC, sealStream } from "./sealed.ts";

const OPEN_MAGIC = "RECADO BACKUP 1\n";

export const draftOf = (file: string) => `${file}.${process.pid}.parcial`;

/**
 * Readable by its owner only, sealed if there is a passphrase. The final name comes last and overwrites
 * nothing. Returns bytes.
 */
export async function writeBackupFile(
  file: string,
  passphrase: string | undefined,
  content: AsyncIterable<Buffer>,
  stop?: AbortSignal,
): Promise<number> {
  const draft = draftOf(file);
  const seal = passphrase === undefined ? null : await newSeal(passphrase);
  const packed = async function* (chunks: AsyncIterable<Buffer>) {
    if (seal) yield* sealStream(seal, chunks);
    else {
      yield Buffer.from(OPEN_MAGIC);
      yield* chunks;
    }
  };
  try {
    const output = fs.createWriteStream(draft, { mode: 0o600, flags: "wx", flush: true });
    const source = stop ? untilStopped(content, stop) : content;
    await pipeline(source, createGzip({ level: 4 }), packed, output, { ...(stop ? { signal: stop } : {}) });
    placeUnder(file, draft);
    syncFolder(path.dirname(file));
    return fs.statSync(file).size;
  } catch (error) {
    stop?.throwIfAborted();
    throw error;
  } finally {
    fs.rmSync(draft, { force: true });
  }
}

/** An aborted pipeline waits for its source, possibly a silent database. */
async function* untilStopped(content: AsyncIterable<Buffer>, stop: AbortSignal): AsyncGenerator<Buffer> {
  const chunks = content[Symbol.asyncIterator]();
  const stopped = Promise.withResolvers<never>();
  // The rejection is handled at the next await.
  stopped.promise.catch(() => undefined);
  const onStop = () => stopped.reject(stop.reason);
  stop.addEventListener("abort", onStop);
  try {
    stop.throwIfAborted();
    for (;;) {
      const { done, value } = await Promise.race([chunks.next(), stopped.promise]);
      if (done) return;
      yield value;
    }
  } finally {
    stop.removeEventListener("abort", onStop);
    // Not awaited, for the same reason; closing the session ends it.
    void chunks.return?.()?.catch(() => undefined);
  }
}

const NO_LINKS = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"]);

/**
 * A hard link fails if the file exists, a rename does not. FAT and some shares have no links, so the name is
 * reserved first.
 */
function placeUnder(file: string, draft: string): void {
  try {
    fs.linkSync(draft, file);
  } catch (error) {
    if (!NO_LINKS.has(codeOf(error))) throw error;
    fs.closeSync(fs.openSync(file, "wx", 0o600));
    fs.renameSync(draft, file);
  }
}

function syncFolder(folder: string): void {
  const handle = fs.openSync(folder, "r");
  try {
    fs.fsyncSync(handle);
  } finally {
    fs.closeSync(handle);
  }
}

export async function* readBackupFile(file: string, passphrase: string | undefined): AsyncGenerator<Buffer> {
  const head = readHead(file);
  const magic = head.toString("latin1", 0, OPEN_MAGIC.length);
  const sealed = magic === SEALED_MAGIC;
  if (!sealed && magic !== OPEN_MAGIC) throw new StartError(`O arquivo ${file} não é uma cópia do Recado.`);
  if (sealed && passphrase === undefined)
    throw new StartError("Esta cópia tem senha: defina RECADO_BACKUP_PASSPHRASE com a senha que a fez.");
  const start = sealed ? SEALED_HEADER : OPEN_MAGIC.length;
  const input = fs.createReadStream(file, { start, highWaterMark: 256 * 1024 });
  const gunzip = createGunzip({ chunkSize: 256 * 1024 });
  const seal = sealed && passphrase !== undefined ? await openSeal(passphrase, head) : null;
  const bytes = seal ? openStream(seal, input) : input;
  // The reader below gets the error. Not awaited: destroyed while waiting, the pipeline never ends.
  void pipeline(bytes, gunzip).catch(() => undefined);
  try {
    for await (const chunk of gunzip) yield chunk as Buffer;
  } catch (error) {
    if (error instanceof StartError) throw error;
    const code = codeOf(error);
    if (code.startsWith("Z_")) throw damaged(code === "Z_BUF_ERROR" ? "fim do arquivo" : "compressão");
    throw error;
  } finally {
    gunzip.destroy();
    input.destroy();
  }
}

function readHead(file: string): Buffer {
  try {
    const handle = fs.openSync(file, "r");
    try {
      const head = Buffer.alloc(SEALED_HEADER);
      return head.subarray(0, fs.readSync(handle, head, 0, head.length, 0));
    } finally {
      fs.closeSync(handle);
    }
  } catch (error) {
    throw new StartError(`O arquivo ${file} não pode ser lido: ${systemReason(error)}.`);
  }
}
