import { contactRecord } from "../../domain/csv-write.ts";
import { NAME_BITS } from "./repo.ts";

/** From the row of `copyOfContacts`. */
export type ContactBytes = {
  take(piece: Uint8Array): void;
  /** `last`: seq, -1 without contacts. `records` may be called once. */
  done(): { rows: number; last: number; records(): Uint8Array };
};

/** Signature of 11 bytes, flags, extension length, field count (PostgreSQL, COPY, Binary Format). */
const HEAD = 21;
/** Per contact: phone, and the name's length in bytes. */
const CONTACT = 8;
/** Longest rest of a plain record: `;55 11 98765-4321` and line end. */
const BEHIND_NAME = 19;

/**
 * Like `contactRecord`, from COPY bytes: a string per name doubles an export's cost. `spare` is reused, or
 * garbage collection scans everything per megabyte.
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
  // A name length that overflows would shift every following name.
  if (from !== names.length) throw new RangeError("names and phones of contacts do not belong together");
  return text.bytes.subarray(0, text.end);
}

type Text = { bytes: Buffer; end: number };
type Place = { from: number; to: number };

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

const INSIDE = 1;
const FIRST = 2;
const LAST = 4;
const SPECIAL = new Uint8Array(256);
// An extra mark only costs time.
SPECIAL.fill(FIRST | LAST, 0x80);
for (const [characters, where] of [
  ['";,\t\r\n', INSIDE],
  ["'=+-@ \t\n\v\f\r", FIRST],
  [" \t\n\v\f\r", LAST],
] as const)
  for (const byte of Buffer.from(characters)) SPECIAL[byte] = (SPECIAL[byte] ?? 0) | where;
/** Lead byte of À–ÿ, all harmless: «José» needs no string. */
const LATIN = 0xc3;

const SEMICOLON = 59;
const FIVE = 53;
const SPACE = 32;
const DASH = 45;
const ZERO = 48;
const CR = 13;
const LF = 10;

/** False: left to `contactRecord`. */
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

/** -1 for other formats. */
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
