import { createPublicKey, verify } from "node:crypto";
import { Curve } from "baileys";

const P = 2n ** 255n - 19n;
const ED25519_SPKI = Buffer.from("302a300506032b6570032100", "hex");

function power(base: bigint, exponent: bigint): bigint {
  let result = 1n;
  let square = base % P;
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = (result * square) % P;
    square = (square * square) % P;
  }
  return result;
}

const littleEndian = (bytes: Uint8Array) => BigInt(`0x${Buffer.from(bytes).reverse().toString("hex")}`);

/** y = (u - 1) / (u + 1), sign from the signature. */
function edwardsKey(montgomery: Uint8Array, sign: number): Buffer {
  const u = littleEndian(montgomery) % P;
  const y = ((u - 1n + P) * power(u + 1n, P - 2n)) % P;
  const bytes = Buffer.from(y.toString(16).padStart(64, "0"), "hex").reverse();
  bytes[31] = (bytes[31] ?? 0) | sign;
  return bytes;
}

/**
 * XEdDSA with Node's Ed25519: 0.3 ms; libsignal's JavaScript takes 6 ms. Baileys 7.0.0-rc14 `Curve.verify`
 * accepts everything.
 */
export function verifySignature(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  if (signature.length !== 64) return false;
  const key = publicKey.length === 33 ? publicKey.subarray(1) : publicKey;
  const plain = Buffer.from(signature);
  const sign = (plain[63] ?? 0) & 0x80;
  plain[63] = (plain[63] ?? 0) & 0x7f;
  const der = Buffer.concat([ED25519_SPKI, edwardsKey(key, sign)]);
  try {
    return verify(null, message, createPublicKey({ key: der, format: "der", type: "spki" }), plain);
  } catch {
    return false;
  }
}

/** Otherwise tests would accept a foreign root's certificate and an unsigned pairing. */
export function verifyStrictly(): void {
  Curve.verify = verifySignature;
}
