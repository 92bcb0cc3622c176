import { hash } from "node:crypto";
import { MAX_PARTS } from "./campaign.ts";

/**
 * `3EB0` + 18 hex digits, like WhatsApp Web: a keyed permutation (4-round Feistel) of nonce (32), seq (24),
 * resend number (4), check (12) whose value is the part, so an id leads back without an index.
 */
export type MessageRef = { nonce: number; seq: number; generation: number; part?: number };

const PREFIX = "3EB0";
const ROUNDS = 4;
const KEY_BYTES = 32;
const LOW32 = 2 ** 32;
const LOW18 = 2 ** 18;

export const MAX_SEQ = 2 ** 24 - 1;
export const MAX_GENERATION = 15;

/** One number for one message to one person; of the first it is the person's `seq`. */
export const placeOf = (seq: number, part: number): number => seq + part * (MAX_SEQ + 1);

export const fromPlace = (place: number): { seq: number; part: number } => ({
  seq: place % (MAX_SEQ + 1),
  part: Math.floor(place / (MAX_SEQ + 1)),
});

function xor36(a: number, b: number): number {
  const aHigh = Math.trunc(a / LOW18);
  const bHigh = Math.trunc(b / LOW18);
  return (aHigh ^ bHigh) * LOW18 + ((a - aHigh * LOW18) ^ (b - bHigh * LOW18));
}

/**
 * SHA-256 is as safe as HMAC for fixed-length inputs at a quarter of the cost (docs/decisions: message ids).
 */
function round(input: Buffer, index: number, half: number): number {
  input[KEY_BYTES] = index;
  input.writeUIntBE(half, KEY_BYTES + 1, 5);
  const digest = hash("sha256", input, "binary");
  const high = digest.charCodeAt(0) * 2 ** 8 + digest.charCodeAt(1);
  const low = digest.charCodeAt(2) * 2 ** 12 + digest.charCodeAt(3) * 2 ** 4 + (digest.charCodeAt(4) >> 4);
  return high * 2 ** 20 + low;
}

/** Cached per key: rebuilding the input costs a third of an id. */
const inputs = new WeakMap<Uint8Array, Buffer>();

function keyed(key: Uint8Array): Buffer {
  const known = inputs.get(key);
  if (known) return known;
  if (key.length !== KEY_BYTES)
    throw new RangeError(`a message key has ${KEY_BYTES} bytes, not ${key.length}`);
  const input = Buffer.alloc(KEY_BYTES + 6);
  input.set(key);
  inputs.set(key, input);
  return input;
}

/**
 * `nonce` < 2^32, `seq` < 2^24, resend number < 16, part < 5, `key` 32 bytes; else RangeError, as the id would
 * lead elsewhere.
 */
export function encodeMessageId(key: Uint8Array, ref: MessageRef): string {
  const { nonce, seq, generation, part = 0 } = ref;
  const fits = inside(nonce, LOW32) && inside(seq, MAX_SEQ + 1) && inside(generation, MAX_GENERATION + 1);
  if (!fits || !inside(part, MAX_PARTS)) {
    throw new RangeError(
      `no message id for nonce ${nonce}, seq ${seq}, generation ${generation}, part ${part}`,
    );
  }
  const input = keyed(key);
  let left = nonce * 16 + Math.floor(seq / 2 ** 20);
  let right = (seq % 2 ** 20) * 2 ** 16 + generation * 2 ** 12 + part;
  for (let index = 0; index < ROUNDS; index++) {
    const mixed = xor36(left, round(input, index, right));
    left = right;
    right = mixed;
  }
  return PREFIX + hex36(left) + hex36(right);
}

/** Null when the id is not ours (another device or installation). */
export function decodeMessageId(key: Uint8Array, id: string): Required<MessageRef> | null {
  if (!/^3EB0[0-9A-F]{18}$/.test(id)) return null;
  const input = keyed(key);
  let left = Number.parseInt(id.slice(4, 13), 16);
  let right = Number.parseInt(id.slice(13), 16);
  for (let index = ROUNDS - 1; index >= 0; index--)
    [left, right] = [xor36(right, round(input, index, left)), left];
  const part = right % 2 ** 12;
  if (part >= MAX_PARTS) return null;
  const seq = (left % 16) * 2 ** 20 + Math.floor(right / 2 ** 16);
  return { nonce: Math.floor(left / 16), seq, generation: Math.floor(right / 2 ** 12) % 16, part };
}

function inside(value: number, limit: number): boolean {
  return Number.isInteger(value) && value >= 0 && value < limit;
}

const HEX3 = Array.from({ length: 2 ** 12 }, (_, value) => value.toString(16).toUpperCase().padStart(3, "0"));

function hex36(value: number): string {
  const high = Math.trunc(value / 2 ** 24);
  const low = value - high * 2 ** 24;
  return `${HEX3[high]}${HEX3[low >> 12]}${HEX3[low & 0xfff]}`;
}
