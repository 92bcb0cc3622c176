import { contactRecord } from "../../domain/csv-write.ts";

/** Records of a file, from the rows of `copy (select name, phone, seq …) to stdout (format binary)`. */
export type ContactBytes = {
  /** Takes the next piece of what the database sends, wherever it begins and ends. */
  take(piece: Uint8Array): void;
  /** The records of all rows taken, the number of these rows, and the seq of the last (-1 without any). */
  done(): { bytes: Uint8Array; rows: number; last: number };
};

/** Before the rows: a signature of 11 bytes, flags, and an extension's length (PostgreSQL, COPY, Binary Format). */
const HEAD = 19;
/** A row: number of its fields (2), length of the name (4), name, length of the phone (4), phone (8), length of the seq (4), seq (4). */
const TO_NAME = 6;
const TO_PHONE = 4;
const TO_SEQ = 12;
const TO_END = 16;

/**
 * Writes what `contactRecord` writes, out of the bytes that the database sends: nearly every name goes over as it came, and a string of
 * each would cost as much as all the rest of an export. What has to be guarded or quoted, and phones that are not Brazilian, are left
 * to `contactRecord`: the rules stand there alone.
 */
export function contactBytes(): ContactBytes {
  const text: Text = { bytes: Buffer.allocUnsafe(256 * 1024), end: 0 };
  let rest: Uint8Array = new Uint8Array(0);
  let skip = HEAD;
  let rows = 0;
  let last = -1;

  return {
    take(piece) {
      const read = Buffer.concat([rest, piece]);
      let at = Math.min(skip, read.length);
      skip -= at;
      while (at + TO_NAME <= read.length) {
        const name = at + TO_NAME;
        const phone = name + read.readInt32BE(name - 4) + TO_PHONE;
        const next = phone + TO_END;
        if (next > read.length) break;
        // A plain record is shorter than its row.
        makeRoom(text, next - at);
        if (!writePlain(text, read, name, phone)) writeOther(text, read, name, phone);
        last = read.readInt32BE(phone + TO_SEQ);
        rows++;
        at = next;
      }
      rest = read.subarray(at);
    },
    done: () => ({ bytes: text.bytes.subarray(0, text.end), rows, last }),
  };
}

type Text = { bytes: Buffer; end: number };

function makeRoom(text: Text, length: number): void {
  if (text.end + length <= text.bytes.length) return;
  const wider = Buffer.allocUnsafe(2 * (text.end + length));
  text.bytes.copy(wider, 0, 0, text.end);
  text.bytes = wider;
}

function writeOther(text: Text, read: Buffer, name: number, phone: number): void {
  const digits = String(read.readBigInt64BE(phone));
  const record = contactRecord(read.toString("utf8", name, phone - TO_PHONE), digits);
  makeRoom(text, Buffer.byteLength(record));
  text.end += text.bytes.write(record, text.end);
}

/** Where a byte keeps a name from being written as it is: anywhere in it, as its first, as its last. */
const INSIDE = 1;
const FIRST = 2;
const LAST = 4;
const SPECIAL = new Uint8Array(256);
// Beyond ASCII are blanks and signs of formulas too; a mark too many costs no more than time.
SPECIAL.fill(FIRST | LAST, 0x80);
for (const [characters, where] of [
  ['";,\t\r\n', INSIDE],
  ["'=+-@ \t\n\v\f\r", FIRST],
  [" \t\n\v\f\r", LAST],
] as const)
  for (const byte of Buffer.from(characters)) SPECIAL[byte] = (SPECIAL[byte] ?? 0) | where;
/** Leads the two bytes of À to ÿ, none of which is a blank or begins a formula: «Ávila» and «José» need no string either. */
const LATIN = 0xc3;

const SEMICOLON = 59;
const FIVE = 53;
const SPACE = 32;
const DASH = 45;
const ZERO = 48;
const CR = 13;
const LF = 10;

/** False when the record is for `contactRecord`; what stands behind `text.end` then counts for nothing. */
function writePlain(text: Text, read: Buffer, name: number, phone: number): boolean {
  const { bytes } = text;
  const behind = phone - TO_PHONE;
  if (!plainEdges(read, name, behind)) return false;
  let to = text.end;
  for (let at = name; at < behind; at++) {
    const byte = read[at] ?? 0;
    if (((SPECIAL[byte] ?? 0) & INSIDE) !== 0) return false;
    bytes[to++] = byte;
  }
  bytes[to++] = SEMICOLON;
  to = writeBrazilian(bytes, to, read.readUInt32BE(phone) * 0x1_0000_0000 + read.readUInt32BE(phone + 4));
  if (to < 0) return false;
  bytes[to++] = CR;
  bytes[to++] = LF;
  text.end = to;
  return true;
}

function plainEdges(read: Buffer, name: number, behind: number): boolean {
  if (behind === name) return true;
  const first = read[name] ?? 0;
  const last = read[behind - 1] ?? 0;
  return (
    (((SPECIAL[first] ?? 0) & FIRST) === 0 || first === LATIN) &&
    (((SPECIAL[last] ?? 0) & LAST) === 0 || read[behind - 2] === LATIN)
  );
}

/** `55 11 98765-4321` as `exportPhone` has it; answers where it ends, or -1 for a number of another form. */
function writeBrazilian(bytes: Buffer, to: number, phone: number): number {
  const mobile = phone >= 55e11 && phone < 56e11;
  if (!mobile && (phone < 55e10 || phone >= 56e10)) return -1;
  const unit = mobile ? 1e9 : 1e8;
  const ddd = Math.floor(phone / unit);
  const subscriber = phone - ddd * unit;
  const front = Math.floor(subscriber / 1e4);
  bytes[to] = FIVE;
  bytes[to + 1] = FIVE;
  bytes[to + 2] = SPACE;
  writeDigits(bytes, to + 3, ddd - 5500, 2);
  bytes[to + 5] = SPACE;
  const dash = to + (mobile ? 11 : 10);
  writeDigits(bytes, to + 6, front, dash - to - 6);
  bytes[dash] = DASH;
  writeDigits(bytes, dash + 1, subscriber - front * 1e4, 4);
  return dash + 5;
}

function writeDigits(bytes: Buffer, to: number, value: number, count: number): void {
  let rest = value;
  for (let at = to + count - 1; at >= to; at--) {
    const tens = (rest / 10) | 0;
    bytes[at] = ZERO + rest - tens * 10;
    rest = tens;
  }
}
