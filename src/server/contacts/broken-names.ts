import fs from "node:fs";
import { isBrokenName } from "../../domain/contact-name.ts";
import { AppError } from "../../domain/errors.ts";
import type { TextEncoding } from "../../domain/text-encoding.ts";
import { csvRows, type FileForm, nothingLeftOut } from "./import-source.ts";

const SAMPLES = 3;
const SAMPLE_LENGTH = 60;

export class BrokenNames {
  #count = 0;
  readonly #samples: string[] = [];

  add(name: string): void {
    if (!isBrokenName(name)) return;
    this.#count++;
    if (this.#samples.length < SAMPLES)
      this.#samples.push(
        name
          .slice(0, SAMPLE_LENGTH)
          .toWellFormed()
          .replace(/\p{Cc}/gu, "\ufffd"),
      );
  }

  refuse(): void {
    if (this.#count === 0) return;
    const examples = this.#samples.map((name) => `«${name}»`).join(", ");
    throw new AppError("import_broken_names", { count: this.#count, samples: this.#samples, examples });
  }
}

export async function refuseBrokenNames(file: string, form: FileForm): Promise<void> {
  if (!(await mayHoldBroken(file, form.encoding))) return;
  const names = new BrokenNames();
  const rows = csvRows(file, form)((_row, name) => names.add(name), nothingLeftOut());
  for await (const _bytes of rows);
  names.refuse();
}

const CONTROL = 1;
const LEADS = 2;
/** Control characters, or lead bytes of U+0080–9F and U+FFFD in UTF-8. */
const UTF8 = new Uint8Array(256);
UTF8.fill(CONTROL, 0, 0x20);
for (const byte of [0x09, 0x0a, 0x0d]) UTF8[byte] = 0;
UTF8[0x7f] = CONTROL;
const WINDOWS = UTF8.slice();
UTF8[0xc2] = LEADS;
UTF8[0xc3] = LEADS;
UTF8[0xef] = LEADS;
for (const byte of [0x81, 0x8d, 0x8f, 0x90, 0x9d]) WINDOWS[byte] = CONTROL;

async function mayHoldBroken(file: string, encoding: TextEncoding): Promise<boolean> {
  if (encoding.startsWith("utf-16")) return true;
  const table = encoding === "utf-8" ? UTF8 : WINDOWS;
  for await (const piece of fs.createReadStream(file)) if (isSuspect(piece as Buffer, table)) return true;
  return false;
}

function isSuspect(piece: Buffer, table: Uint8Array): boolean {
  for (let at = 0; at < piece.length; at++) {
    const kind = table[piece[at] as number];
    if (kind === CONTROL) return true;
    if (kind !== LEADS) continue;
    if (isSuspectPair(piece, at)) return true;
  }
  return false;
}

const FOLLOWERS = [0xc2, 0xc5, 0xc6, 0xcb, 0xe2];

function isSuspectPair(piece: Buffer, at: number): boolean {
  // The next bytes at a piece's end are unknown; EF BB begins U+FEFF.
  const next = piece[at + 1] ?? 0xbf;
  if (piece[at] === 0xc2) return next < 0xa0;
  if (piece[at] === 0xef) return next === 0xbf;
  // «Ã» and «Â» before such a sign: encoded twice.
  return (next === 0x82 || next === 0x83 || next === 0xbf) && FOLLOWERS.includes(piece[at + 2] ?? 0xc2);
}
