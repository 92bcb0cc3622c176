import { createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto";

/** `rcd_<key id>_<32 random bytes, base64url>`: the id finds the row. */
const API_KEY = /^rcd_([1-9]\d{0,14})_([A-Za-z0-9_-]{43})$/;

export type ParsedApiKey = { id: number; secret: string };

export function parseApiKey(text: string): ParsedApiKey | undefined {
  const match = API_KEY.exec(text);
  return match?.[1] && match[2] ? { id: Number(match[1]), secret: match[2] } : undefined;
}

export function apiKeyText(id: number, secret: string): string {
  return `rcd_${id}_${secret}`;
}

export const newApiKeySecret = () => randomBytes(32).toString("base64url");

/**
 * Derived, not stored, so that a repeated request returns the same secret; its key is outside the database.
 */
export function repeatableApiKeySecret(key: Buffer, accountId: string, idempotencyKey: string): string {
  return createHmac("sha256", key).update(`${accountId}:${idempotencyKey}`).digest("base64url");
}

export function apiKeyPrefix(id: number, secret: string): string {
  return `rcd_${id}_${secret.slice(0, 4)}`;
}

/** A plain hash is enough for 256 random bits. */
export function hashApiKeySecret(secret: string): Buffer {
  return createHash("sha256").update(secret).digest();
}

export function sameHash(a: Buffer, b: Buffer): boolean {
  return a.length === b.length && timingSafeEqual(a, b);
}
