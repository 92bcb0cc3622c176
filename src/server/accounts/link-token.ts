import { createHash, createHmac } from "node:crypto";

/** What the key of these tokens is derived for. */
export const RESET_KEY = "password reset";
/** The same of links that prove an address. */
export const CONFIRM_KEY = "e-mail confirmation";

const ID_BYTES = 16;
const TOKEN = /^[A-Za-z0-9_-]{64}$/;

/**
 * What a link of a letter carries: the number of its row (a uuid), and a secret made of that number and a key outside the
 * database. So the letter that waits in the database need not hold it, and of the row, which holds its hash, nobody makes a link.
 */
export function linkToken(key: Uint8Array, id: string): string {
  const named = Buffer.from(id.replaceAll("-", ""), "hex");
  const secret = createHmac("sha256", key).update(named).digest();
  return Buffer.concat([named, secret]).toString("base64url");
}

/** The row that a token names, and the hash that has to stand in it; undefined for a text that is none. */
export function readLinkToken(token: string): { id: string; hash: string } | undefined {
  if (!TOKEN.test(token)) return undefined;
  const bytes = Buffer.from(token, "base64url");
  const hex = bytes.subarray(0, ID_BYTES).toString("hex");
  const id = hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
  return { id, hash: createHash("sha256").update(bytes.subarray(ID_BYTES)).digest("hex") };
}
