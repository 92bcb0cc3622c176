import { createRequire } from "node:module";
import { Curve, generateSignalPubKey } from "baileys";

type SignatureCheck = (publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array) => boolean;

/** As Baileys resolves it, for the same curve. */
function libsignalOfBaileys(): { verifySignature: SignatureCheck } {
  const fromBaileys = createRequire(import.meta.resolve("baileys"));
  return fromBaileys("libsignal/src/curve.js") as { verifySignature: SignatureCheck };
}

/**
 * Baileys 7.0.0-rc14 `Curve.verify` accepts every signature: libsignal 6 returns a boolean where it expects
 * an exception. Any server could pose as WhatsApp's (its pull request 2067).
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

/** They contain private keys, or nothing useful. */
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

function holdsKeys(value: unknown, depth = 0): boolean {
  if (typeof value !== "object" || value === null || depth > 4) return false;
  if (value instanceof Uint8Array) return depth > 0;
  if ("privKey" in value || "currentRatchet" in value || "signedIdentityKey" in value) return true;
  return Object.values(value).some((inner) => holdsKeys(inner, depth + 1));
}

/**
 * libsignal prints sessions with private ratchet keys through `console.*`, which a service manager writes to
 * disk.
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
 * A small Buffer keeps its whole pool alive, and keys are kept by the thousand: 21 MB per busy device with
 * Node 24's pools of 64 KiB, 3 MB with these.
 */
const POOL_BYTES = 8 * 1024;

let installed = false;

/** For the whole process, before the first device connects. */
export function installShims(): void {
  if (installed) return;
  installed = true;
  checkSignatures();
  muteLibsignal();
  Buffer.poolSize = POOL_BYTES;
}
