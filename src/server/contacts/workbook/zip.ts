import fs from "node:fs";
import { pipeline } from "node:stream";
import { createInflateRaw } from "node:zlib";
import { AppError } from "../../../domain/errors.ts";

type Entry = { method: number; isEncrypted: boolean; packed: number; offset: number };

const END = 0x06054b50;
const END_BYTES = 22;
const LONGEST_COMMENT = 0xffff;
const HEADER = 0x02014b50;
const HEADER_BYTES = 46;
const LOCAL_BYTES = 30;
const ZIP64_EXTRA = 1;
const IN_EXTRA = 0xffffffff;
const MOST_ENTRIES = 5_000;
const LONGEST_DIRECTORY = 8 * 1024 * 1024;
const STORED = 0;
const DEFLATED = 8;

/** A sheet of a million rows has about 500 MB; deflate can pack a gigabyte of zeros into one megabyte. */
const MOST_EXPANDED = 700 * 1024 * 1024;
const MOST_RATIO = 300;
const FREE_EXPANDED = 32 * 1024 * 1024;

const broken = () => new AppError("import_workbook_broken");

/** Reads single files of a ZIP archive by its directory, in constant memory. Throws `import_workbook_broken`. */
export class ZipFile {
  readonly #file: string;
  readonly #handle: fs.promises.FileHandle;
  readonly #entries: ReadonlyMap<string, Entry>;

  private constructor(file: string, handle: fs.promises.FileHandle, entries: ReadonlyMap<string, Entry>) {
    this.#file = file;
    this.#handle = handle;
    this.#entries = entries;
  }

  static async open(file: string): Promise<ZipFile> {
    const handle = await fs.promises.open(file);
    try {
      return new ZipFile(file, handle, await readDirectory(handle));
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  has(name: string): boolean {
    return this.#entries.has(name);
  }

  /** The file's bytes. Throws `import_workbook_too_large` once they exceed any honest workbook's. */
  async *read(name: string): AsyncGenerator<Buffer> {
    const entry = this.#entries.get(name);
    if (!entry) throw broken();
    if (entry.isEncrypted) throw new AppError("import_encrypted");
    if (entry.method !== STORED && entry.method !== DEFLATED) throw broken();
    const local = await readAt(this.#handle, entry.offset, LOCAL_BYTES);
    const start = entry.offset + LOCAL_BYTES + local.readUInt16LE(26) + local.readUInt16LE(28);
    if (entry.packed === 0) return;
    const packed = fs.createReadStream(this.#file, { start, end: start + entry.packed - 1 });
    const expanded = entry.method === STORED ? packed : createInflateRaw();
    if (entry.method === DEFLATED)
      pipeline(packed, expanded as ReturnType<typeof createInflateRaw>, () => undefined);
    const most = Math.min(MOST_EXPANDED, FREE_EXPANDED + entry.packed * MOST_RATIO);
    let bytes = 0;
    try {
      for await (const chunk of expanded as AsyncIterable<Buffer>) {
        bytes += chunk.length;
        if (bytes > most) throw new AppError("import_workbook_too_large");
        yield chunk;
      }
    } catch (error) {
      throw error instanceof AppError ? error : broken();
    } finally {
      packed.destroy();
      expanded.destroy();
    }
  }

  async close(): Promise<void> {
    await this.#handle.close();
  }
}

async function readAt(handle: fs.promises.FileHandle, at: number, length: number): Promise<Buffer> {
  const bytes = Buffer.alloc(length);
  const { bytesRead } = await handle.read(bytes, 0, length, at);
  if (bytesRead < length) throw broken();
  return bytes;
}

async function readDirectory(handle: fs.promises.FileHandle): Promise<Map<string, Entry>> {
  const { size } = await handle.stat();
  if (size < END_BYTES) throw broken();
  const tail = await readAt(
    handle,
    Math.max(0, size - END_BYTES - LONGEST_COMMENT),
    Math.min(size, END_BYTES + LONGEST_COMMENT),
  );
  let at = tail.length - END_BYTES;
  while (at >= 0 && tail.readUInt32LE(at) !== END) at--;
  if (at < 0) throw broken();
  const length = tail.readUInt32LE(at + 12);
  const offset = tail.readUInt32LE(at + 16);
  if (tail.readUInt16LE(at + 10) > MOST_ENTRIES || length > LONGEST_DIRECTORY || offset + length > size)
    throw broken();
  return entriesOf(await readAt(handle, offset, length));
}

function entriesOf(directory: Buffer): Map<string, Entry> {
  const entries = new Map<string, Entry>();
  for (let at = 0; at + HEADER_BYTES <= directory.length; ) {
    if (directory.readUInt32LE(at) !== HEADER) throw broken();
    const [nameBytes, extraBytes, commentBytes] = [28, 30, 32].map((field) =>
      directory.readUInt16LE(at + field),
    ) as [number, number, number];
    const name = directory.toString("utf8", at + HEADER_BYTES, at + HEADER_BYTES + nameBytes);
    const extra = directory.subarray(
      at + HEADER_BYTES + nameBytes,
      at + HEADER_BYTES + nameBytes + extraBytes,
    );
    entries.set(name.replaceAll("\\", "/").replace(/^\//, ""), entryOf(directory, at, extra));
    at += HEADER_BYTES + nameBytes + extraBytes + commentBytes;
    if (entries.size > MOST_ENTRIES) throw broken();
  }
  return entries;
}

function entryOf(directory: Buffer, at: number, extra: Buffer): Entry {
  const [packed, size, offset] = [20, 24, 42].map((field) => directory.readUInt32LE(at + field)) as [
    number,
    number,
    number,
  ];
  const longs = zip64(extra);
  const long = (value: number) => (value === IN_EXTRA ? (longs.shift() ?? value) : value);
  long(size);
  return {
    method: directory.readUInt16LE(at + 10),
    isEncrypted: (directory.readUInt16LE(at + 8) & 1) === 1,
    packed: long(packed),
    offset: long(offset),
  };
}

function zip64(extra: Buffer): number[] {
  for (let at = 0; at + 4 <= extra.length; ) {
    const length = extra.readUInt16LE(at + 2);
    if (extra.readUInt16LE(at) === ZIP64_EXTRA) {
      const values = extra.subarray(at + 4, at + 4 + length);
      return Array.from({ length: values.length >> 3 }, (_, n) => Number(values.readBigUInt64LE(n * 8)));
    }
    at += 4 + length;
  }
  return [];
}
