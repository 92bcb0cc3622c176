import { AppError } from "./errors.ts";

export type TextEncoding = "utf-8" | "utf-16le" | "utf-16be" | "windows-1252";

/** What files begin with that are no CSV, whatever they are called: zip (xlsx, ods), gzip, OLE (xls), PDF, 7z, RAR, PNG, JPEG. */
const SIGNATURES: readonly (readonly number[])[] = [
  [0x50, 0x4b, 0x03, 0x04],
  [0x50, 0x4b, 0x05, 0x06],
  [0x1f, 0x8b],
  [0xd0, 0xcf, 0x11, 0xe0],
  [0x25, 0x50, 0x44, 0x46],
  [0x37, 0x7a, 0xbc, 0xaf],
  [0x52, 0x61, 0x72, 0x21],
  [0x89, 0x50, 0x4e, 0x47],
  [0xff, 0xd8, 0xff],
];

/** A telephone's contacts: text, in any case, but read as rows each line would be refused for its number of columns. */
const VCARD = "BEGIN:VCARD";

/** So many first bytes tell: a vCard may begin with the mark of UTF-8. */
export const SIGNATURE_BYTES = 3 + VCARD.length;

/** Throws `import_not_csv` when the first bytes are those of a workbook, an archive, a document, a picture or vCards. */
export function refuseBinary(head: Uint8Array): void {
  const isVcard = new TextDecoder().decode(head).toUpperCase().startsWith(VCARD);
  if (isVcard || SIGNATURES.some((signature) => signature.every((byte, at) => head[at] === byte))) {
    throw new AppError("import_not_csv");
  }
}

export type EncodingDetector = {
  push(chunk: Uint8Array): void;
  /** Throws `import_unreadable_encoding` when the bytes are UTF-8 in one place and something else in another. */
  result(): TextEncoding;
};

/** Bytes from the beginning in which UTF-16 without a mark is looked for. */
const HEAD = 4096;

/**
 * Finds a text's encoding from all its bytes: a UTF-16 mark, or its look; else UTF-8 if every byte agrees; else windows-1252, which Brazilian Excel
 * writes (and which holds all of ISO-8859-1). A mixture would be read wrong in one half either way, so a person has to choose.
 */
export function encodingDetector(): EncodingDetector {
  const utf8 = new TextDecoder("utf-8", { fatal: true });
  let first: Uint8Array | null = null;
  let valid = true;
  let pairs = false;
  return {
    push(chunk) {
      if (chunk.length === 0) return;
      // A copy: the caller may read on into the same buffer.
      first ??= Uint8Array.from(chunk.subarray(0, HEAD));
      pairs ||= hasUtf8Pair(chunk);
      if (valid) valid = decodes(utf8, chunk);
    },
    result() {
      const [a, b, c] = first ?? [];
      if (a === 0xff && b === 0xfe) return "utf-16le";
      if (a === 0xfe && b === 0xff) return "utf-16be";
      const unmarked = utf16Of(first ?? []);
      if (unmarked) return unmarked;
      if (valid && decodes(utf8, null)) return "utf-8";
      if (pairs || (a === 0xef && b === 0xbb && c === 0xbf)) throw new AppError("import_unreadable_encoding");
      return "windows-1252";
    },
  };
}

/** Digits, separators and Latin letters are pairs with a NUL in UTF-16, always on the same side; no other text is full of NULs. */
function utf16Of(head: ArrayLike<number>): "utf-16le" | "utf-16be" | null {
  const nuls = [0, 0];
  for (let at = 0; at < head.length; at++) if (head[at] === 0) nuls[at & 1] = (nuls[at & 1] ?? 0) + 1;
  const [even = 0, odd = 0] = nuls;
  // A third of the pairs: names may be in another script, and a letter of one (Ā) has its NUL on the other side.
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

/** An accented letter of UTF-8 (C3 + 80–BF): in windows-1252 it would be «Ã» before a sign, which no language writes. */
function hasUtf8Pair(chunk: Uint8Array): boolean {
  for (let at = chunk.indexOf(0xc3); at !== -1; at = chunk.indexOf(0xc3, at + 1)) {
    const next = chunk[at + 1];
    if (next !== undefined && next >= 0x80 && next <= 0xbf) return true;
  }
  return false;
}
