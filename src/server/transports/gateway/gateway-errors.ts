import { STATUS_CODES } from "node:http";
import { AppError } from "../../../domain/errors.ts";
import { cleanText, textAt, valueAt } from "../content/own-values.ts";

/** `body` is undefined if it is no JSON. */
export type GatewayAnswer = { status: number; body: unknown; retryAfter: string | null };

const LONGEST = 200;

/** Absolute paths with line and column, but not a URL's path. */
const FILE_PATH = /(?<![\w:/.])(?:[A-Za-z]:)?(?:[\\/][\w.@+~-]+){2,}(?::\d+){0,2}/g;

/** One line, without file paths (its database errors contain them) or `secrets`. */
export function redact(text: string, secrets: readonly string[]): string {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  // Database layer error: the lines before the last are source code.
  const relevant = /invocation in\s*$/m.test(text) ? lines.slice(-1) : lines;
  let words = relevant.join(" ");
  for (const secret of secrets) if (secret !== "") words = words.replaceAll(secret, "…");
  const short = cleanText(words.replace(FILE_PATH, "…").replace(/\s+/g, " ").trim(), LONGEST + 1);
  return short.length > LONGEST ? `${short.slice(0, LONGEST)}…` : short;
}

/** Formats: `response.message`, `message`, a raw Boom; texts and nested lists. */
export function messageOf(body: unknown): string {
  const said =
    valueAt(body, "response", "message") ??
    valueAt(body, "message") ??
    valueAt(body, "output", "payload", "message") ??
    valueAt(body, "error");
  return flat(said).join("; ");
}

function flat(said: unknown): string[] {
  // An error object turned into text.
  if (said === "[object Object]") return [];
  if (typeof said === "string") return [said];
  // A stranger's lists may be nested 100,000 deep.
  if (Array.isArray(said)) return said.flat(3).flatMap((one) => (Array.isArray(one) ? [] : flat(one)));
  return textAt(said, "message") === null ? [] : [textAt(said, "message") ?? ""];
}

/** Since 2.4. */
export function licenseError({ status, body }: GatewayAnswer): { registerUrl: string | null } | null {
  if (status !== 503 || valueAt(body, "code") !== "LICENSE_REQUIRED") return null;
  const url = URL.parse(textAt(body, "register_url") ?? "");
  const web = url?.protocol === "https:" || url?.protocol === "http:";
  return { registerUrl: web && url ? url.href : null };
}

const isHttpDown = (status: number) => status === 502 || status === 503 || status === 504;

/** Any server answers 404. */
export function saysUnknown(message: string): boolean {
  return /instance/i.test(message) && /does not exist|not found/i.test(message);
}

/** Never contains `secrets`. */
export function errorOf(answer: GatewayAnswer, secrets: readonly string[]): AppError {
  const { status, body } = answer;
  if (body === undefined) {
    // A proxy's own page: the server behind it is down.
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
  // Its messages name addresses and source lines.
  if (/prisma|can't reach database/i.test(message)) return new AppError("gateway_database", { status });
  const words = redact(message, secrets) || (STATUS_CODES[status] ?? "?");
  return new AppError("gateway_failed", { status, message: words });
}
