import { randomBytes, randomUUID } from "node:crypto";

let rows = 0;

/** The id of a row as the gateway's database makes it: 25 letters and digits, `cm` first. */
export function rowId(): string {
  rows += 1;
  return `cm${rows.toString(36).padStart(9, "0")}${randomBytes(7).toString("hex")}`;
}

/** The id of a message the gateway sends through WhatsApp (recording 09b). */
export const sentId = () => `3EB0${randomBytes(9).toString("hex").toUpperCase()}`;

/** The id of a message a phone sends (recording 09d: an iPhone). */
export const phoneId = () => `3A${randomBytes(9).toString("hex").toUpperCase()}`;

export const uuid = () => randomUUID();

/** The token of an instance that was given none (recording 01). */
export const newToken = () => randomUUID().toUpperCase();

/** What a QR code says: a reference and three public keys (recording 09a). */
export function qrText(): string {
  const key = () => randomBytes(32).toString("base64");
  return `2@${randomBytes(24).toString("base64url")},${key()},${key()},${key()}`;
}

const PAIRING_LETTERS = "123456789ABCDEFGHJKLMNPQRSTVWXYZ";

/** Eight letters and digits to type on the phone (recording 09c). */
export const pairingCode = () =>
  [...randomBytes(8)].map((byte) => PAIRING_LETTERS[byte % PAIRING_LETTERS.length]).join("");
