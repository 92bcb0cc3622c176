import { createHash, createHmac } from "node:crypto";

export const RESET_KEY = "password reset";
export const CONFIRM_KEY = "e-mail confirmation";

const ID_BYTES = 16;
const TOKEN = /^[A-Za-z0-9_-]{64}$/;

/**
 * The row's uuid and a secret derived from it with a key outside the database: neither the queued e-mail nor
 * the stored hash yields a link.
 */
export function linkToken(key: Uint8Array, id: string): string {
  const named = Buffer.from(id.replaceAll("-", ""), "hex");
  const secret = createHmac("sha256", key).update(named).digest();
  return Buffer.concat([named, secret]).toString("base64url");
}

export function readLinkToken(token: string): { id: string; hash: string } | undefined {
  if (!TOKEN.test(token)) return undefined;
  const bytes = Buffer.from(token, "base64url");
  const hex = bytes.subarray(0, ID_BYTES).toString("hex");
  const id = hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
  return { id, hash: createHash("sha256").update(bytes.subarray(ID_BYTES)).digest("hex") };
}
