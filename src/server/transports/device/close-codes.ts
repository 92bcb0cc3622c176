/**
 * `again`: reconnect at once. `wait`: after the back-off. `outdated`: fetch WhatsApp's version, then `wait`.
 * `forget`: delete the keys. `rest`: until a person asks. `replaced`: credentials used elsewhere.
 */
export type CloseAction = "again" | "wait" | "outdated" | "forget" | "rest" | "replaced";

export type CloseVerdict = { action: CloseAction; cause: string };

const VERDICTS: Readonly<Record<number, CloseVerdict>> = {
  401: { action: "forget", cause: "logged_out" },
  // As whatsmeow: temporary ban, locked number, ban.
  402: { action: "rest", cause: "temp_banned" },
  403: { action: "rest", cause: "banned" },
  405: { action: "outdated", cause: "client_outdated" },
  406: { action: "rest", cause: "banned" },
  411: { action: "forget", cause: "logged_out" },
  440: { action: "replaced", cause: "replaced" },
  515: { action: "again", cause: "restart" },
};

/** Longer bans show no date; huge numbers are no valid date. */
const MOST_SECONDS = 10 * 366 * 86_400;

/**
 * Codes are WhatsApp's stream errors and login failures. 408 is a lost connection or the end of the QR codes;
 * the text tells which.
 */
export function closeVerdict(code: number | undefined, text: string): CloseVerdict {
  if (text.includes("QR refs attempts ended")) return { action: "rest", cause: "qr_expired" };
  if (/certificate|noise/i.test(text)) return { action: "wait", cause: "untrusted_server" };
  // Baileys passes on a proxy's HTTP status; its 401 is not WhatsApp's.
  if (text.startsWith("WebSocket Error")) return { action: "wait", cause: "network" };
  const verdict = code === undefined ? undefined : VERDICTS[code];
  return verdict ?? { action: "wait", cause: "network" };
}

/** `expire` in seconds, as whatsmeow reads it; Baileys has it in the error's data. */
export function banEnd(error: unknown, now: Date): Date | null {
  const data = error instanceof Error && "data" in error ? error.data : null;
  const expire = typeof data === "object" && data !== null && "expire" in data ? Number(data.expire) : 0;
  return expire > 0 && expire <= MOST_SECONDS ? new Date(now.getTime() + expire * 1000) : null;
}
