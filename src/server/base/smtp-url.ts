import { normalizeEmail } from "../../domain/account.ts";

export type SmtpServer = {
  host: string;
  port: number;
  /** Implicit TLS; else STARTTLS if offered. */
  secure: boolean;
  auth: { user: string; pass: string } | null;
};

export type Sender = { name: string; address: string };

/**
 * `smtp://user:password@host:587` or `smtps://…:465`, percent-encoded. Undefined if invalid: errors must not
 * repeat the password.
 */
export function readSmtpUrl(text: string): SmtpServer | undefined {
  if (!URL.canParse(text)) return undefined;
  const url = new URL(text);
  const secure = url.protocol === "smtps:";
  if (!secure && url.protocol !== "smtp:") return undefined;
  if (url.hostname === "" || !["", "/"].includes(url.pathname) || url.search !== "" || url.hash !== "")
    return undefined;
  const port = url.port === "" ? (secure ? 465 : 587) : Number(url.port);
  const user = plain(url.username);
  const pass = plain(url.password);
  if (user === undefined || pass === undefined || (user === "") !== (pass === "")) return undefined;
  return {
    host: url.hostname.replace(/^\[|\]$/g, ""),
    port,
    secure,
    auth: user === "" ? null : { user, pass },
  };
}

function plain(part: string): string | undefined {
  try {
    return decodeURIComponent(part);
  } catch {
    return undefined;
  }
}

/** `avisos@exemplo.com.br` or `Recado <avisos@exemplo.com.br>`; undefined if invalid. */
export function readSender(text: string): Sender | undefined {
  const named = /^([^<>"\r\n]*)<([^<>]+)>$/.exec(text.trim());
  const address = normalizeEmail(named?.[2] ?? text);
  return address ? { name: named?.[1]?.trim() || "Recado", address } : undefined;
}
