import { createHash, randomBytes } from "node:crypto";
import type { AuthenticationCreds, BinaryNode, WASocket } from "baileys";

/** True once a phone has linked it: WhatsApp has signed our identity. A mere `me` also stands there after asking for a code. */
export function isPaired(creds: AuthenticationCreds): boolean {
  return creds.account !== undefined && creds.account !== null;
}

/** A stable name of this pairing: another one means that the device was linked anew. Null until linked. */
export function pairingOf(creds: AuthenticationCreds | null): string | null {
  if (!creds?.me || !isPaired(creds)) return null;
  const hash = createHash("sha256")
    .update(creds.noiseKey.public)
    .update(creds.signedIdentityKey.public)
    .update(creds.me.id);
  return hash.digest("hex").slice(0, 32);
}

/** A QR's text with another secret in its fourth field: `https://wa.me/settings/linked_devices#ref,noise,identity,secret,platform`. */
function withSecret(qr: string, secret: string): string {
  const start = qr.indexOf("#") + 1;
  const fields = qr.slice(start).split(",");
  fields[3] = secret;
  return qr.slice(0, start) + fields.join(",");
}

/**
 * Calls `publish` with every QR code that a phone can really scan. Since 2026 WhatsApp may ask a device that is being linked to renew
 * its secret (`companion_reg_refresh`); Baileys 7.0.0-rc14 ignores that and goes on showing codes that link nothing (its issue 2737).
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
 * Asks for a code to type on the phone of `digits`. Baileys answers with a code even when WhatsApp refused it, so the refusal is
 * looked for on the wire: an answer within `answerMs` decides, silence counts as consent. Throws `PairingRefused`; the credentials
 * are then spoilt (they name a phone) and must be thrown away.
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
