/**
 * What the end of a socket means. `again`: connect at once with the same credentials. `wait`: connect again after the back-off.
 * `outdated`: fetch WhatsApp's current version, then as `wait`. `forget`: the pairing is gone, its keys are deleted and a person has
 * to link again. `rest`: nothing happens until a person asks. `replaced`: the same credentials are used elsewhere.
 */
export type CloseAction = "again" | "wait" | "outdated" | "forget" | "rest" | "replaced";

export type CloseVerdict = { action: CloseAction; cause: string };

const VERDICTS: Readonly<Record<number, CloseVerdict>> = {
  401: { action: "forget", cause: "logged_out" },
  403: { action: "rest", cause: "banned" },
  405: { action: "outdated", cause: "client_outdated" },
  411: { action: "forget", cause: "logged_out" },
  440: { action: "replaced", cause: "replaced" },
  515: { action: "again", cause: "restart" },
};

/**
 * Reads the code and text with which Baileys closed a socket. Codes from WhatsApp's stream errors and login failures
 * (research/whatsapp-transport §8); 408 is both a lost connection and the end of the QR codes, told apart by its text.
 */
export function closeVerdict(code: number | undefined, text: string): CloseVerdict {
  if (text.includes("QR refs attempts ended")) return { action: "rest", cause: "qr_expired" };
  if (/certificate|noise/i.test(text)) return { action: "wait", cause: "untrusted_server" };
  const verdict = code === undefined ? undefined : VERDICTS[code];
  return verdict ?? { action: "wait", cause: "network" };
}
