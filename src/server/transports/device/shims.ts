import { createRequire } from "node:module";
import { Curve, generateSignalPubKey } from "baileys";

type SignatureCheck = (publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array) => boolean;

/** libsignal as Baileys itself resolves it, so that both speak of the same curve. */
function libsignalOfBaileys(): { verifySignature: SignatureCheck } {
  const fromBaileys = createRequire(import.meta.resolve("baileys"));
  return fromBaileys("libsignal/src/curve.js") as { verifySignature: SignatureCheck };
}

/**
 * Makes Baileys check signatures. In 7.0.0-rc14 `Curve.verify` answers true for every signature, since libsignal 6 returns a
 * boolean where Baileys only waits for an exception: any server could pose as WhatsApp's, any phone as the account's.
 * Source: research on baileys 7.0.0-rc14 and its pull request 2067.
 */
function checkSignatures(): void {
  const { verifySignature } = libsignalOfBaileys();
  const verify: SignatureCheck = (publicKey, message, signature) => {
    try {
      return verifySignature(generateSignalPubKey(publicKey), message, signature) === true;
    } catch {
      return false;
    }
  };
  Object.assign(Curve, { verify });
}

/** What libsignal says on the console; each of these lines comes with the session's private keys or says nothing of use. */
const LIBSIGNAL_LINES = [
  "Closing session:",
  "Opening session:",
  "Session already closed",
  "Session already open",
  "Removing old closed session:",
  "Migrating session to:",
  "Closing open session in favor of incoming prekey bundle",
  "Decrypted message with closed session.",
  "Failed to decrypt message with any known session...",
  "Session error:",
  "V1 session storage migration error",
  "Unhandled bucket type (for naming):",
  "WARNING: Expected pubkey of length 33",
];

const CONSOLE_LEVELS = ["log", "info", "warn", "error", "debug", "trace", "dir"] as const;

/** An object with key material in it, at any depth that a console would print. */
function holdsKeys(value: unknown, depth = 0): boolean {
  if (typeof value !== "object" || value === null || depth > 4) return false;
  if (value instanceof Uint8Array) return depth > 0;
  if ("privKey" in value || "currentRatchet" in value || "signedIdentityKey" in value) return true;
  return Object.values(value).some((inner) => holdsKeys(inner, depth + 1));
}

/**
 * Keeps private keys off the console: libsignal prints whole sessions (with their ratchet keys) through `console.*`, which a
 * service manager writes to disk. Our own code never uses the console; what others print passes, unless it holds keys.
 */
function muteLibsignal(): void {
  const sink = globalThis.console;
  for (const level of CONSOLE_LEVELS) {
    const print = sink[level].bind(sink);
    sink[level] = (...args: unknown[]) => {
      const [first] = args;
      if (typeof first === "string" && LIBSIGNAL_LINES.some((line) => first.startsWith(line))) return;
      print(...args.map((arg) => (holdsKeys(arg) ? "[keys removed]" : arg)));
    };
  }
}

/**
 * A small Buffer is a piece of a pool, and the whole pool stays as long as one of its pieces. Keys are such pieces, read here and there and
 * kept by the thousand: with Node 24's pools of 64 KiB a device that writes to many holds 21 MB by them, with these 3 MB.
 */
const POOL_BYTES = 8 * 1024;

let installed = false;

/** Installs all three for the whole process, once, before the first device connects. */
export function installShims(): void {
  if (installed) return;
  installed = true;
  checkSignatures();
  muteLibsignal();
  Buffer.poolSize = POOL_BYTES;
}
