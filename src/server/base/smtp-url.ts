import { normalizeEmail } from "../../domain/account.ts";

/** The mail server that the operator named. */
export type SmtpServer = {
  host: string;
  port: number;
  /** TLS from the first byte; otherwise STARTTLS where the server offers it. */
  secure: boolean;
  auth: { user: string; pass: string } | null;
};

/** Who letters are from: `Recado <avisos@exemplo.com.br>`, in its parts. */
export type Sender = { name: string; address: string };

/**
 * Reads `smtp://user:password@host:587` or `smtps://user:password@host:465`; what stands for itself in user or password is written in
 * percent form. Undefined for anything else: the words about it must not repeat the password.
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

/** Reads `avisos@exemplo.com.br` or `Recado <avisos@exemplo.com.br>`; undefined for what no letter can come from. */
export function readSender(text: string): Sender | undefined {
  const named = /^([^<>"\r\n]*)<([^<>]+)>$/.exec(text.trim());
  const address = normalizeEmail(named?.[2] ?? text);
  return address ? { name: named?.[1]?.trim() || "Recado", address } : undefined;
}
