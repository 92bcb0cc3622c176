import { AppError } from "./errors.ts";

import { AccentedWords, type SingleByte } from "./single-byte.ts";

export type TextEncoding = "utf-8" | "utf-16le" | "utf-16be" | SingleByte;

export type EncodingDetector = {
  push(chunk: Uint8Array): void;
  result(): TextEncoding;
};

const HEAD = 4096;

/**
 * UTF-16, else UTF-8 if every byte agrees, else the encoding of one byte whose words look like names. A mixture
 * needs a person: either way corrupts one half.
 */
export function encodingDetector(): EncodingDetector {
  const utf8 = new TextDecoder("utf-8", { fatal: true });
  let first: Uint8Array | null = null;
  let valid = true;
  let pairs = false;
  const words = new AccentedWords();
  return {
    push(chunk) {
      if (chunk.length === 0) return;
      // A copy: the caller may reuse the buffer.
      first ??= Uint8Array.from(chunk.subarray(0, HEAD));
      pairs ||= hasUtf8Pair(chunk);
      if (valid) valid = decodes(utf8, chunk);
      words.push(chunk);
    },
    result() {
      const [a, b, c] = first ?? [];
      if (a === 0xff && b === 0xfe) return "utf-16le";
      if (a === 0xfe && b === 0xff) return "utf-16be";
      const unmarked = unmarkedUtf16(first ?? []);
      if (unmarked) return unmarked;
      if (valid && decodes(utf8, null)) return "utf-8";
      if (pairs || (a === 0xef && b === 0xbb && c === 0xbf)) throw unreadable();
      const single = words.encoding();
      if (single === null) throw unreadable();
      return single;
    },
  };
}

const unreadable = () => new AppError("import_unreadable_encoding");

/** In UTF-16, Latin letters pair with a NUL on a fixed side; no other text is full of NULs. */
export function unmarkedUtf16(head: ArrayLike<number>): "utf-16le" | "utf-16be" | null {
  const nuls = [0, 0];
  for (let at = 0; at < head.length; at++) if (head[at] === 0) nuls[at & 1] = (nuls[at & 1] ?? 0) + 1;
  const [even = 0, odd = 0] = nuls;
  // A third suffices: names may use another script, where a letter (Ā) has its NUL on the other side.
  const [most, least] = odd > even ? [odd, even] : [even, odd];
  if (most === 0 || most * 6 < head.length || least * 8 > most) return null;
  return odd > even ? "utf-16le" : "utf-16be";
}

function decodes(decoder: TextDecoder, chunk: Uint8Array | null): boolean {
  try {
    if (chunk) decoder.decode(chunk, { stream: true });
    else decoder.decode();
    return true;
  } catch {
    return false;
  }
}

/** A UTF-8 accent (C3 + 80–BF); windows-1252 would read «Ã» plus a sign, which no language writes. */
function hasUtf8Pair(chunk: Uint8Array): boolean {
  for (let at = chunk.indexOf(0xc3); at !== -1; at = chunk.indexOf(0xc3, at + 1)) {
    const next = chunk[at + 1];
    if (next !== undefined && next >= 0x80 && next <= 0xbf) return true;
  }
  return false;
}
