import { AppError } from "../../../domain/errors.ts";
import { textAt, valueAt } from "../content/own-values.ts";
import type { Outcome, StopCause } from "../transport.ts";
import { type GatewayAnswer, licenseError, messageOf, saysUnknown } from "./gateway-errors.ts";
import { readStatus } from "./read-message.ts";
import { Sent, type SentAnswer } from "./shapes.ts";

/** Without `Retry-After`, and its limits. */
const RATE_PAUSE_MS = 60_000;
const SHORTEST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 10 * 60_000;

const stop = (cause: StopCause, retryAt: number | null | "human" = null): Outcome => ({
  kind: "stop",
  cause,
  retryAt,
});
const doubt = (reason: string): Outcome => ({ kind: "ambiguous", reason });
const refused = (code: string): Outcome => ({ kind: "refused", code, passing: false });

/**
 * A gateway takes no id of ours, and its 400 also wraps errors after the send, so anything unproven is
 * `ambiguous`.
 */
export function outcomeOf(answer: GatewayAnswer, now: Date): Outcome {
  const { status, body } = answer;
  if (status >= 200 && status < 300) {
    const sent = Sent.safeParse(body);
    return sent.success ? acceptedAs(sent.data, now) : (refusalOfMeta(body, now) ?? doubt("gateway_garbage"));
  }
  const message = messageOf(body);
  if (licenseError(answer)) return stop("license_required", "human");
  // A page without JSON comes from a proxy or firewall, which may hold back the gateway's answer.
  if ((status === 401 || status === 403) && body !== undefined) return stop("wrong_key", "human");
  if (status === 404) return saysUnknown(message) ? stop("gone", "human") : stop("not_connected");
  if (status === 413) return refused("gateway_too_large");
  if (status === 429) return stop("rate_limited", now.getTime() + pauseOf(answer.retryAfter, now));
  // Baileys' message if nothing was written (recordings 02, 09b).
  if (/^(Error: )?Connection Closed$/.test(message)) return stop("not_connected");
  if (status === 500 && saysNotUploaded(body)) return stop("upload_failed");
  if (status === 400 && body !== undefined) return refusalOf(body);
  return doubt(body === undefined && status < 500 ? "gateway_garbage" : "gateway_failed");
}

/** 201: the gateway took it; «Enviado» needs more, which few send at once. */
function acceptedAs({ key, status }: SentAnswer, now: Date): Outcome {
  const proved = readStatus(status);
  const accepted = { kind: "accepted", providerId: key.id, at: now.getTime() } as const;
  return proved === null || proved === "error" ? { ...accepted, unconfirmed: true } : accepted;
}

/**
 * No WhatsApp media host took the picture, known before the send. Other 500s stay in doubt: unknown versions
 * may answer one after it.
 */
function saysNotUploaded(body: unknown): boolean {
  const said = valueAt(body, "response", "message");
  return (
    valueAt(body, "status") === 500 &&
    Array.isArray(said) &&
    said.length === 1 &&
    said[0] === "Error: Media upload failed on all hosts"
  );
}

/** Rate limits, rejected tokens, and errors without a word whether Meta took the message. */
const META_BUSY = new Set([4, 80_007, 130_429, 131_048, 131_056]);
const META_KEY = new Set([0, 3, 10, 190, 200]);
const META_UNSURE = new Set([1, 2, 131_000, 131_016, 133_004]);

/** Cloud API reports Meta's refusal as success (from its source). Null: none. */
function refusalOfMeta(body: unknown, now: Date): Outcome | null {
  const code = valueAt(body, "code");
  if (typeof code !== "number" || META_UNSURE.has(code) || textAt(body, "fbtrace_id") === null) return null;
  if (META_BUSY.has(code)) return stop("rate_limited", now.getTime() + RATE_PAUSE_MS);
  return META_KEY.has(code) ? stop("wrong_key", "human") : refused("gateway_refused");
}

/** A 400 proves something only if it names the person as absent or comes from the checks before sending. */
function refusalOf(body: unknown): Outcome {
  const said = valueAt(body, "response", "message");
  const list = Array.isArray(said) ? said : [said];
  const absent = list.find((one) => valueAt(one, "exists") === false);
  // Before 2.4 it says so of any LID, although that person wrote to us.
  if (absent !== undefined)
    return refused(textAt(absent, "jid")?.endsWith("@lid") ? "gateway_hidden" : "not_on_whatsapp");
  // Schema errors: a list inside a list (recordings 01, 04).
  const unchecked = list.some((one) => Array.isArray(one)) || list.some((one) => CHECKS.has(String(one)));
  return unchecked ? refused("gateway_refused") : doubt("gateway_failed");
}

/** Recordings 04, 07a, 09b. */
const CHECKS = new Set([
  "Text is required",
  "Owned media must be a url or base64",
  "For base64 the file name must be informed.",
]);

/** Never `refused`: nothing was learnt about the person. */
export function outcomeOfError(error: unknown): Outcome {
  if (!(error instanceof AppError)) return doubt("gateway_failed");
  const { code, details } = error;
  if (code === "gateway_unreachable") {
    if (details.sent === false) return stop("not_connected");
    return doubt(details.reason === "timeout" ? "gateway_timeout" : "gateway_cut");
  }
  if (code === "url_forbidden" || code === "url_private") return stop("not_connected");
  if (code === "instance_unknown") return stop("gone", "human");
  return doubt("gateway_garbage");
}

/** Limited, so that a server's mistake does not silence a number for a day. */
function pauseOf(retryAfter: string | null, now: Date): number {
  const text = retryAfter?.trim() ?? "";
  const parsed = /^\d{1,15}$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - now.getTime();
  const ms = Number.isNaN(parsed) ? RATE_PAUSE_MS : parsed;
  return Math.min(Math.max(ms, SHORTEST_PAUSE_MS), LONGEST_PAUSE_MS);
}
