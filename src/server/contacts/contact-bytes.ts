import { contactRecord } from "../../domain/csv-write.ts";
import { NAME_BITS } from "./repo.ts";

/** Records of a file, from the one row of `copyOfContacts`. */
export type ContactBytes = {
  /** Takes the next piece of what the database sends, wherever it begins and ends. */
  take(piece: Uint8Array): void;
  /** The number of contacts, the seq of the last (-1 without any), and their records, which are written when they are asked for, once. */
  done(): { rows: number; last: number; records(): Uint8Array };
};

/** Before the row: a signature of 11 bytes, flags, an extension's length, and the number of its fields (PostgreSQL, COPY, Binary Format). */
const HEAD = 21;
/** What each contact takes of the second field: its phone, and the length of its name in bytes. */
const CONTACT = 8;
/** As long as what a plain record has behind its name can be: `;55 11 98765-4321` and the line's end. */
const BEHIND_NAME = 19;

/**
 * Writes what `contactRecord` writes, out of the bytes that the database sends: nearly every name goes over as it came, and a string of
 * each would cost as much as all the rest of an export. What has to be guarded or quoted, and phones that are not Brazilian, are left
 * to `contactRecord`: the rules stand there alone. `spare`: what former COPYs of the same export were taken into, and this one is. Left to
 * the collector, a megabyte of each would make it look through everything, again and again.
 */
export function contactBytes(spare: Buffer[]): ContactBytes {
  let row = spare.pop() ?? Buffer.allocUnsafeSlow(0);
  let end = 0;
  return {
    take(piece) {
      row = widened(row, end, piece.length);
      row.set(piece, end);
      end += piece.length;
    },
    done() {
      const [names, contacts, last] = fieldsOf(row.subarray(0, end));
      const records = () => {
        const bytes = names && contacts ? recordsOf(names, contacts) : new Uint8Array(0);
        spare.push(row);
        return bytes;
      };
      return { rows: (contacts?.length ?? 0) / CONTACT, last: last?.readInt32BE(0) ?? -1, records };
    },
  };
}

/** Null where one has no value; none of a COPY that was not begun. */
function fieldsOf(row: Buffer): (Buffer | null)[] {
  if (row.length === 0) return [];
  let at = HEAD;
  return Array.from({ length: 3 }, () => {
    const length = row.readInt32BE(at);
    const from = at + 4;
    at = from + Math.max(0, length);
    return length < 0 ? null : row.subarray(from, at);
  });
}

function recordsOf(names: Buffer, contacts: Buffer): Uint8Array {
  const most = names.length + (contacts.length / CONTACT) * BEHIND_NAME;
  const text: Text = { bytes: Buffer.allocUnsafe(most), end: 0 };
  let from = 0;
  for (let at = 0; at < contacts.length; at += CONTACT) {
    const low = contacts.readUInt32BE(at + 4);
    const phone = contacts.readUInt32BE(at) * 2 ** (32 - NAME_BITS) + (low >>> NAME_BITS);
    const name = { from, to: from + (low & (2 ** NAME_BITS - 1)) };
    text.bytes = widened(text.bytes, text.end, name.to - from + BEHIND_NAME);
    if (!writePlain(text, names, name, phone)) writeOther(text, names, name, phone);
    from = name.to;
  }
  // One whose name's length has no room beside its phone would give everybody after it somebody else's name.
  if (from !== names.length) throw new RangeError("names and phones of contacts do not belong together");
  return text.bytes.subarray(0, text.end);
}

type Text = { bytes: Buffer; end: number };
type Place = { from: number; to: number };

/** With room for so much more behind its first `end` bytes. */
function widened(bytes: Buffer, end: number, more: number): Buffer {
  if (end + more <= bytes.length) return bytes;
  const wider = Buffer.allocUnsafeSlow(2 * (end + more));
  bytes.copy(wider, 0, 0, end);
  return wider;
}

function writeOther(text: Text, names: Buffer, { from, to }: Place, phone: number): void {
  const record = contactRecord(names.toString("utf8", from, to), String(phone));
  text.bytes = widened(text.bytes, text.end, Buffer.byteLength(record));
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
function writePlain(text: Text, names: Buffer, name: Place, phone: number): boolean {
  const { bytes } = text;
  if (!plainEdges(names, name)) return false;
  let to = text.end;
  for (let at = name.from; at < name.to; at++) {
    const byte = names[at] ?? 0;
    if (((SPECIAL[byte] ?? 0) & INSIDE) !== 0) return false;
    bytes[to++] = byte;
  }
  bytes[to++] = SEMICOLON;
  to = writeBrazilian(bytes, to, phone);
  if (to < 0) return false;
  bytes[to++] = CR;
  bytes[to++] = LF;
  text.end = to;
  return true;
}

function plainEdges(names: Buffer, { from, to }: Place): boolean {
  if (from === to) return true;
  const first = names[from] ?? 0;
  const last = names[to - 1] ?? 0;
  return (
    (((SPECIAL[first] ?? 0) & FIRST) === 0 || first === LATIN) &&
    (((SPECIAL[last] ?? 0) & LAST) === 0 || names[to - 2] === LATIN)
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
