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

const BACKOFF_MS = [1_000, 2_000, 5_000, 10_000, 30_000, 60_000];

/**
 * How long to wait before connecting again after `failures` fruitless attempts in a row (0 for the first): 1, 2, 5, 10, 30, 60 s
 * and up to a quarter more, so that a hundred devices do not return in the same instant. `random` gives [0, 1).
 */
export function backoffMs(
  failures: number,
  random: () => number,
  steps: readonly number[] = BACKOFF_MS,
): number {
  const step = steps[Math.min(failures, steps.length - 1)] ?? 60_000;
  return Math.round(step * (1 + random() / 4));
}
