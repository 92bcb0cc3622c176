import { isIP } from "node:net";
import { createTransport } from "nodemailer";
import type { Sender, SmtpServer } from "../base/smtp-url.ts";

export type Email = {
  /** Constant over attempts, so mail servers detect duplicates. */
  messageId: string;
  to: string;
  subject: string;
  text: string;
  /** RFC 2369 and RFC 8058; `oneClick`: POST address. */
  unsubscribe?: { oneClick: string };
};

/**
 * `code` is ours plus the server's number (`refused 550`). Server texts may repeat passwords and are never
 * stored. `again`: retry may work.
 */
export type Attempt = { sent: true } | { sent: false; code: string; again: boolean };

export type Mailer = { send(email: Email): Promise<Attempt>; close(): void };

/** Must fit into the lease (sender.ts). */
const TIMEOUTS = {
  connectionTimeout: 20_000,
  greetingTimeout: 20_000,
  socketTimeout: 40_000,
  dnsTimeout: 10_000,
};

/** Passwords only over TLS, or to this machine. */
export function openMailer(server: SmtpServer, from: Sender): Mailer {
  const { host, port, secure, auth } = server;
  const transport = createTransport({
    pool: true,
    maxConnections: 3,
    // Acceptance before a hangup is unknown; retries are ours.
    maxRequeues: 0,
    idleTimeout: 10_000,
    disableFileAccess: true,
    disableUrlAccess: true,
    ...TIMEOUTS,
    host,
    port,
    secure,
    ...(auth ? { auth, requireTLS: !secure && !isHere(host) } : {}),
  });
  return {
    async send(email) {
      try {
        await transport.sendMail(messageOf(email, from));
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
  // RFC 8058 requires https; mail programs refuse others.
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
      // Stops auto-replies (RFC 3834).
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

/** Exported for its test. */
export function foldMailError(error: unknown): { code: string; again: boolean } {
  const { code, responseCode } = fieldsOf(error);
  if (code === "EAUTH" || code === "ENOAUTH") return { code: withNumber("auth", responseCode), again: true };
  if (code === "ETLS" || code === "EREQUIRETLS") return { code: "tls", again: true };
  // 5xx is final, 4xx asks for a retry.
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
