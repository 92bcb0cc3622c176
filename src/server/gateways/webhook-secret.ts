import { hash, randomBytes, timingSafeEqual } from "node:crypto";

/** Lower case, as Node reads it (`webhook.headers`). */
export const HOOK_SECRET_HEADER = "x-recado-secret";

export function makeHookId(): string {
  return randomBytes(18).toString("base64url");
}

/** 256 bits in base64url: a line break in a header silently stops the delivery. */
export function makeHookSecret(): string {
  return randomBytes(32).toString("base64url");
}

export function hookSecretPlace(connectionId: number): string {
  return `instance/${connectionId}/hook_secret`;
}

/** Comparison time reveals neither length nor content. */
export function hashHookSecret(secret: string): Buffer {
  return hash("sha256", secret, "buffer");
}

export function isHookSecret(given: string, hashed: Buffer): boolean {
  return timingSafeEqual(hashHookSecret(given), hashed);
}
