/**
 * What the end of a socket means. `again`: connect at once with the same credentials. `wait`: connect again after the back-off.
 * `outdated`: fetch WhatsApp's current version, then as `wait`. `forget`: the pairing is gone, its keys are deleted and a person has
 * to link again. `rest`: nothing happens until a person asks. `replaced`: the same credentials are used elsewhere.
 */
export type CloseAction = "again" | "wait" | "outdated" | "forget" | "rest" | "replaced";

export type CloseVerdict = { action: CloseAction; cause: string };

const VERDICTS: Readonly<Record<number, CloseVerdict>> = {
  401: { action: "forget", cause: "logged_out" },
  // As whatsmeow reads WhatsApp Web: 402 is a ban for a time, 403 a locked number, 406 a ban.
  402: { action: "rest", cause: "temp_banned" },
  403: { action: "rest", cause: "banned" },
  405: { action: "outdated", cause: "client_outdated" },
  406: { action: "rest", cause: "banned" },
  411: { action: "forget", cause: "logged_out" },
  440: { action: "replaced", cause: "replaced" },
  515: { action: "again", cause: "restart" },
};

/** Whoever is banned for longer than ten years is not told a date; beyond that there are numbers of which no date can be made. */
const MOST_SECONDS = 10 * 366 * 86_400;

/**
 * Reads the code and text with which Baileys closed a socket. Codes are those of WhatsApp's stream errors and login failures; 408 is both
 * a lost connection and the end of the QR codes, told apart by its text.
 */
export function closeVerdict(code: number | undefined, text: string): CloseVerdict {
  if (text.includes("QR refs attempts ended")) return { action: "rest", cause: "qr_expired" };
  if (/certificate|noise/i.test(text)) return { action: "wait", cause: "untrusted_server" };
  // What the connection itself says: Baileys would pass the HTTP status of a proxy on as the code, and its 401 is not WhatsApp's.
  if (text.startsWith("WebSocket Error")) return { action: "wait", cause: "network" };
  const verdict = code === undefined ? undefined : VERDICTS[code];
  return verdict ?? { action: "wait", cause: "network" };
}

/**
 * When a ban for a time ends: its `expire` says in how many seconds, as whatsmeow reads it (Baileys hands the attributes of WhatsApp's
 * refusal on as the error's data). Null where WhatsApp does not say.
 */
export function banEnd(error: unknown, now: Date): Date | null {
  const data = error instanceof Error && "data" in error ? error.data : null;
  const expire = typeof data === "object" && data !== null && "expire" in data ? Number(data.expire) : 0;
  return expire > 0 && expire <= MOST_SECONDS ? new Date(now.getTime() + expire * 1000) : null;
}
