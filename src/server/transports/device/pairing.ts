import { createHash, randomBytes } from "node:crypto";
import type { AuthenticationCreds, BinaryNode, WASocket } from "baileys";

/** A phone has signed our identity; `me` alone is also set after a pairing code request. */
export function isPaired(creds: AuthenticationCreds): boolean {
  return creds.account !== undefined && creds.account !== null;
}

/** Stable id of the pairing; a different one means that it was linked again. Null until linked. */
export function pairingOf(creds: AuthenticationCreds | null): string | null {
  if (!creds?.me || !isPaired(creds)) return null;
  const hash = createHash("sha256")
    .update(creds.noiseKey.public)
    .update(creds.signedIdentityKey.public)
    .update(creds.me.id);
  return hash.digest("hex").slice(0, 32);
}

function withSecret(qr: string, secret: string): string {
  const start = qr.indexOf("#") + 1;
  const fields = qr.slice(start).split(",");
  fields[3] = secret;
  return qr.slice(0, start) + fields.join(",");
}

/**
 * Since 2026 WhatsApp may ask for a new secret (`companion_reg_refresh`); Baileys 7.0.0-rc14 ignores it and
 * shows codes that link nothing (its issue 2737).
 */
export function watchQrCodes(
  sock: WASocket,
  creds: AuthenticationCreds,
  publish: (qr: string, fresh: boolean) => void,
): void {
  let last: string | null = null;
  sock.ev.on("connection.update", ({ qr }) => {
    if (!qr) return;
    last = qr;
    publish(withSecret(qr, creds.advSecretKey), true);
  });
  sock.ws.on("CB:notification,type:companion_reg_refresh", (node: BinaryNode) => {
    if (isPaired(creds) || creds.pairingCode) return;
    creds.advSecretKey = randomBytes(32).toString("base64");
    sock.ev.emit("creds.update", { advSecretKey: creds.advSecretKey });
    const { id = "", from = "", type = "" } = node.attrs;
    sock
      .sendNode({ tag: "ack", attrs: { id, to: from, class: "notification", type } })
      .catch(() => undefined);
    if (last) publish(withSecret(last, creds.advSecretKey), false);
  });
}

export class PairingRefused extends Error {
  constructor() {
    super("WhatsApp refused the pairing code");
    this.name = "PairingRefused";
  }
}

/**
 * Baileys returns a code even when refused, so the wire decides within `answerMs`; silence means consent.
 * Throws `PairingRefused`; discard the credentials then.
 */
export async function requestCode(sock: WASocket, digits: string, answerMs: number): Promise<string> {
  let decide: (refused: boolean) => void = () => undefined;
  const answer = new Promise<boolean>((resolve) => {
    decide = resolve;
  });
  const onError = () => decide(true);
  const onResult = () => decide(false);
  sock.ws.on("CB:iq,type:error", onError);
  sock.ws.on("CB:iq,type:result,link_code_companion_reg", onResult);
  const timer = setTimeout(onResult, answerMs);
  try {
    const code = await sock.requestPairingCode(digits);
    if (await answer) throw new PairingRefused();
    return code;
  } finally {
    clearTimeout(timer);
    sock.ws.off("CB:iq,type:error", onError);
    sock.ws.off("CB:iq,type:result,link_code_companion_reg", onResult);
  }
}
