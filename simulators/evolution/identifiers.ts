import { randomBytes, randomUUID } from "node:crypto";

let rows = 0;

/** Format of the gateway's database. */
export function rowId(): string {
  rows += 1;
  return `cm${rows.toString(36).padStart(9, "0")}${randomBytes(7).toString("hex")}`;
}

/** Recording 09b. */
export const sentId = () => `3EB0${randomBytes(9).toString("hex").toUpperCase()}`;

/** Recording 09d: an iPhone. */
export const phoneId = () => `3A${randomBytes(9).toString("hex").toUpperCase()}`;

export const uuid = () => randomUUID();

/** Recording 01. */
export const newToken = () => randomUUID().toUpperCase();

/** Recording 09a. */
export function qrText(): string {
  const key = () => randomBytes(32).toString("base64");
  return `2@${randomBytes(24).toString("base64url")},${key()},${key()},${key()}`;
}

const PAIRING_LETTERS = "123456789ABCDEFGHJKLMNPQRSTVWXYZ";

/** Recording 09c. */
export const pairingCode = () =>
  [...randomBytes(8)].map((byte) => PAIRING_LETTERS[byte % PAIRING_LETTERS.length]).join("");
