import { hash, randomBytes, timingSafeEqual } from "node:crypto";

/** The header in which a gateway sends the secret of the webhook that we set at it (`webhook.headers`). Lower case, as Node reads it. */
export const HOOK_SECRET_HEADER = "x-recado-secret";

/** Names a webhook in its address. It says nothing, opens nothing, and may stand in logs. */
export function makeHookId(): string {
  return randomBytes(18).toString("base64url");
}

/** 256 bits for the header. Base64url: a line break in a header stops the gateway's delivery silently. */
export function makeHookSecret(): string {
  return randomBytes(32).toString("base64url");
}

/** Where an instance's secret is sealed. */
export function hookSecretPlace(connectionId: number): string {
  return `instance/${connectionId}/hook_secret`;
}

/** SHA-256 of a secret: what is compared, so that neither length nor content tells by the time it takes. */
export function hashHookSecret(secret: string): Buffer {
  return hash("sha256", secret, "buffer");
}

export function isHookSecret(given: string, hashed: Buffer): boolean {
  return timingSafeEqual(hashHookSecret(given), hashed);
}
