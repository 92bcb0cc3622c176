import { isIP } from "node:net";
import { createTransport } from "nodemailer";
import type { Sender, SmtpServer } from "../base/smtp-url.ts";

export type Email = {
  /** Names the letter at every attempt: a mail server that got it twice can tell. */
  messageId: string;
  to: string;
  subject: string;
  text: string;
  /** A letter of news carries the way to have no more of them (RFC 2369, RFC 8058); `oneClick` is where a mail program posts to. */
  unsubscribe?: { oneClick: string };
};

/**
 * What became of an attempt. `code` is ours, with the server's number behind it where it gave one (`refused 550`): the server's own
 * words may repeat what it was sent, password included, and are kept nowhere. `again`: the same may work later.
 */
export type Attempt = { sent: true } | { sent: false; code: string; again: boolean };

export type Mailer = { send(letter: Email): Promise<Attempt>; close(): void };

/** All of sending one letter has to fit into the time for which it is left to us (sender.ts). */
const TIMEOUTS = {
  connectionTimeout: 20_000,
  greetingTimeout: 20_000,
  socketTimeout: 40_000,
  dnsTimeout: 10_000,
};

/** Letters through the operator's mail server. A password goes out only over TLS, unless the server is this machine. */
export function openMailer(server: SmtpServer, from: Sender): Mailer {
  const { host, port, secure, auth } = server;
  const transport = createTransport({
    pool: true,
    maxConnections: 3,
    // Whether the server took a letter before it hung up nobody knows: trying again is our decision, not the pool's.
    maxRequeues: 0,
    idleTimeout: 10_000,
    disableFileAccess: true,
    disableUrlAccess: true,
    ...TIMEOUTS,
    ...{ host, port, secure },
    ...(auth ? { auth, requireTLS: !secure && !isHere(host) } : {}),
  });
  return {
    async send(letter) {
      try {
        await transport.sendMail(messageOf(letter, from));
        return { sent: true };
      } catch (error) {
        return { sent: false, ...foldMailError(error) };
      }
    },
    close: () => transport.close(),
  };
}

const isHere = (host: string) =>
  host === "localhost" || host === "::1" || (isIP(host) === 4 && host.startsWith("127."));

function messageOf({ messageId, to, subject, text, unsubscribe }: Email, from: Sender) {
  const oneClick = unsubscribe?.oneClick;
  // RFC 8058 asks for https; without it the header would promise what mail programs refuse.
  const posts = oneClick?.startsWith("https:")
    ? { "List-Unsubscribe-Post": "List-Unsubscribe=One-Click" }
    : {};
  return {
    from,
    to,
    subject,
    text,
    messageId: `<${messageId}@${from.address.split("@")[1]}>`,
    headers: {
      // Answering machines leave such letters alone (RFC 3834).
      "Auto-Submitted": "auto-generated",
      ...(oneClick ? { "List-Unsubscribe": `<${oneClick}>`, ...posts } : {}),
    },
  };
}

const UNREACHABLE = new Set([
  "ECONNECTION",
  "ESOCKET",
  "EDNS",
  "ECONNREFUSED",
  "ECONNRESET",
  "EPROTOCOL",
  "EPROXY",
]);

/** What a failed attempt was, in a code of ours. Exported for its test. */
export function foldMailError(error: unknown): { code: string; again: boolean } {
  const { code, responseCode } = fieldsOf(error);
  if (code === "EAUTH" || code === "ENOAUTH") return { code: withNumber("auth", responseCode), again: true };
  if (code === "ETLS" || code === "EREQUIRETLS") return { code: "tls", again: true };
  // A number of the 500s is the server's last word about this letter; one of the 400s says to come again.
  if (responseCode !== null && responseCode >= 500)
    return { code: withNumber("refused", responseCode), again: false };
  if (responseCode !== null && responseCode >= 400)
    return { code: withNumber("later", responseCode), again: true };
  if (code === "ETIMEDOUT") return { code: "timeout", again: true };
  if (UNREACHABLE.has(code)) return { code: "unreachable", again: true };
  return { code: "failed", again: true };
}

const withNumber = (code: string, number: number | null) => (number === null ? code : `${code} ${number}`);

function fieldsOf(error: unknown): { code: string; responseCode: number | null } {
  if (typeof error !== "object" || error === null) return { code: "", responseCode: null };
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  const number =
    "responseCode" in error && typeof error.responseCode === "number" ? error.responseCode : null;
  return { code, responseCode: number };
}
