import { escaped } from "./copy-text.ts";

/** Writes lines in phone order. */
export type ContactWindow = {
  add(seq: number, phone: number, name: string): void;
  /** The next piece might not fit. */
  isFull(): boolean;
  size(): number;
  /** Buffers of about 128 KB; empty afterwards. */
  drain(): Generator<Buffer>;
};

const PLACES = 2 ** 16;
const ARENA = 4 * 1024 * 1024;
const PIECE = 128 * 1024;
/** More than a piece: 64 KB of text or 500 JSON elements. */
const SPARE_PLACES = 2 ** 13;
const SPARE_BYTES = 512 * 1024;
/** Nearer phones share an index page anyway. */
const BUCKET = 2 ** 13;
const [TAB, LINE_FEED, ZERO, BACKSLASH] = [9, 10, 48, 92];

/**
 * Phone order makes index writes a sixth cheaper. Bucket and place in a number below 2^53 allow the native
 * sort. Strings would triple the heap.
 */
export function contactWindow(listId: number): ContactWindow {
  const prefix = Buffer.from(`${listId}\t`);
  const keys = new Float64Array(PLACES);
  const starts = new Uint32Array(PLACES + 1);
  const arena = Buffer.allocUnsafe(ARENA);
  let lines = 0;
  let used = 0;

  return {
    size: () => lines,
    isFull: () => lines > PLACES - SPARE_PLACES || used > ARENA - SPARE_BYTES,
    add(seq, phone, name) {
      // Bytes beyond the end would be dropped silently.
      if (lines === PLACES || used + 2 * name.length + SPARE_PLACES > ARENA)
        throw new RangeError("window overflow");
      keys[lines] = Math.floor(phone / BUCKET) * PLACES + lines;
      starts[lines++] = used;
      for (const byte of prefix) arena[used++] = byte;
      used = writeNumber(arena, used, seq);
      arena[used++] = TAB;
      used = writeNumber(arena, used, phone);
      arena[used++] = TAB;
      used = writeName(arena, used, name);
      arena[used++] = LINE_FEED;
      starts[lines] = used;
    },
    *drain() {
      const sorted = keys.subarray(0, lines).sort();
      let piece = Buffer.allocUnsafe(PIECE);
      let filled = 0;
      for (const key of sorted) {
        const at = key - Math.floor(key / PLACES) * PLACES;
        const [from, to] = [starts[at] ?? 0, starts[at + 1] ?? 0];
        if (filled + to - from > PIECE) {
          yield piece.subarray(0, filled);
          piece = Buffer.allocUnsafe(PIECE);
          filled = 0;
        }
        filled += arena.copy(piece, filled, from, to);
      }
      yield piece.subarray(0, filled);
      lines = 0;
      used = 0;
    },
  };
}

const BILLION = 1e9;

/** Whole numbers below 10^18. */
function writeNumber(into: Uint8Array, at: number, value: number): number {
  if (value < BILLION) return writeSmall(into, at, value, 1);
  const high = Math.floor(value / BILLION);
  return writeSmall(into, writeSmall(into, at, high, 1), value - high * BILLION, 9);
}

function writeSmall(into: Uint8Array, at: number, value: number, least: number): number {
  let width = least;
  for (let bound = 10 ** least; value >= bound; bound *= 10) width++;
  let rest = value | 0;
  for (let place = at + width - 1; place >= at; place--) {
    const next = (rest / 10) | 0;
    into[place] = ZERO + rest - next * 10;
    rest = next;
  }
  return at + width;
}

function writeName(into: Buffer, start: number, name: string): number {
  let at = start;
  for (let i = 0; i < name.length; i++) {
    const c = name.charCodeAt(i);
    if (c < 0x80 && c !== BACKSLASH && c >= 32) into[at++] = c;
    else if (c >= 0x80 && c < 0x800) {
      into[at++] = 0xc0 | (c >> 6);
      into[at++] = 0x80 | (c & 0x3f);
    } else return start + into.write(escaped(name), start);
  }
  return at;
}
