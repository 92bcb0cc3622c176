import { createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto";

/** `rcd_<number of the key>_<32 random bytes, base64url>`: the number finds the row, the rest proves the right to it. */
const API_KEY = /^rcd_([1-9]\d{0,14})_([A-Za-z0-9_-]{43})$/;

export type ParsedApiKey = { id: number; secret: string };

/** Reads a key as sent; undefined for what cannot be one. */
export function parseApiKey(text: string): ParsedApiKey | undefined {
  const match = API_KEY.exec(text);
  return match?.[1] && match[2] ? { id: Number(match[1]), secret: match[2] } : undefined;
}

export function apiKeyText(id: number, secret: string): string {
  return `rcd_${id}_${secret}`;
}

/** 32 random bytes, base64url. */
export const newApiKeySecret = () => randomBytes(32).toString("base64url");

/**
 * One that can be answered again when the answer was lost, though it is kept nowhere: `key` is ours and outside the database, the caller's
 * is known here as a hash alone.
 */
export function repeatableApiKeySecret(key: Buffer, accountId: string, idempotencyKey: string): string {
  return createHmac("sha256", key).update(`${accountId}:${idempotencyKey}`).digest("base64url");
}

/** What a list may show: enough to tell keys apart, useless for calling. */
export function apiKeyPrefix(id: number, secret: string): string {
  return `rcd_${id}_${secret.slice(0, 4)}`;
}

/** A plain hash is enough: 256 random bits cannot be guessed from it. */
export function hashApiKeySecret(secret: string): Buffer {
  return createHash("sha256").update(secret).digest();
}

export function sameHash(a: Buffer, b: Buffer): boolean {
  return a.length === b.length && timingSafeEqual(a, b);
}
