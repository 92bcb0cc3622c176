import { STATUS_CODES } from "node:http";
import { AppError } from "../../../domain/errors.ts";
import { cleanText, textAt, valueAt } from "../content/own-values.ts";

/** An answer of a gateway. `body` is undefined where the bytes were no JSON. */
export type GatewayAnswer = { status: number; body: unknown; retryAfter: string | null };

const LONGEST = 200;

/** Absolute paths of files, with line and column, but not the path of an address. */
const FILE_PATH = /(?<![\w:/.])(?:[A-Za-z]:)?(?:[\\/][\w.@+~-]+){2,}(?::\d+){0,2}/g;

/**
 * A gateway's words, fit to be shown and logged: one line, no file paths of its machine (its database faults bring them, with source
 * lines), and none of the `secrets`.
 */
export function redact(text: string, secrets: readonly string[]): string {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  // A fault of its database layer: the last line says what it was, the ones before are its source.
  const told = /invocation in\s*$/m.test(text) ? lines.slice(-1) : lines;
  let words = told.join(" ");
  for (const secret of secrets) if (secret !== "") words = words.replaceAll(secret, "…");
  const short = cleanText(words.replace(FILE_PATH, "…").replace(/\s+/g, " ").trim(), LONGEST + 1);
  return short.length > LONGEST ? `${short.slice(0, LONGEST)}…` : short;
}

/** All that an error body says, in whichever of its shapes: `response.message`, `message`, a raw Boom; texts, lists, lists of lists. */
export function messageOf(body: unknown): string {
  const said =
    valueAt(body, "response", "message") ??
    valueAt(body, "message") ??
    valueAt(body, "output", "payload", "message") ??
    valueAt(body, "error");
  return flat(said).join("; ");
}

function flat(said: unknown): string[] {
  // An error that the gateway itself put into a text: it says nothing to a person.
  if (said === "[object Object]") return [];
  if (typeof said === "string") return [said];
  // No deeper: a list may hold another one a hundred thousand times.
  if (Array.isArray(said)) return said.flat(3).flatMap((one) => (Array.isArray(one) ? [] : flat(one)));
  return textAt(said, "message") === null ? [] : [textAt(said, "message") ?? ""];
}

/** The gateway of version 2.4 and later whose licence nobody activated. */
export function licenseError({ status, body }: GatewayAnswer): { registerUrl: string | null } | null {
  if (status !== 503 || valueAt(body, "code") !== "LICENSE_REQUIRED") return null;
  const url = URL.parse(textAt(body, "register_url") ?? "");
  const web = url?.protocol === "https:" || url?.protocol === "http:";
  return { registerUrl: web && url ? url.href : null };
}

const isHttpDown = (status: number) => status === 502 || status === 503 || status === 504;

/** True where a 404 is about the instance: any server at all answers 404. */
export function saysUnknown(message: string): boolean {
  return /instance/i.test(message) && /does not exist|not found/i.test(message);
}

/** The fault that an answer means which is no success. `secrets` never appear in it. */
export function faultOf(answer: GatewayAnswer, secrets: readonly string[]): AppError {
  const { status, body } = answer;
  if (body === undefined) {
    // A proxy's own page: what stands behind it does not answer.
    return isHttpDown(status)
      ? new AppError("gateway_unreachable", { reason: "proxy", sent: true })
      : new AppError("gateway_garbage", { status });
  }
  const license = licenseError(answer);
  if (license) return new AppError("license_required", license);
  const message = messageOf(body);
  if (status === 403 && /already in use/i.test(message)) return new AppError("instance_name_taken");
  if (status === 401 || status === 403) return new AppError("gateway_wrong_key");
  if (status === 404)
    return saysUnknown(message)
      ? new AppError("instance_unknown")
      : new AppError("gateway_garbage", { status });
  // Its database layer's words name addresses and source lines: they help no person.
  if (/prisma|can't reach database/i.test(message)) return new AppError("gateway_database", { status });
  const words = redact(message, secrets) || (STATUS_CODES[status] ?? "?");
  return new AppError("gateway_failed", { status, message: words });
}
