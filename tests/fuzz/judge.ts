import { isDeepStrictEqual } from "node:util";
import { ZodType } from "zod";
import type { EndpointSpec } from "../../src/contract/endpoint.ts";
import { ERROR_MESSAGES } from "../../src/contract/error-messages.ts";
import { ENGLISH } from "../../src/contract/error-messages-en.ts";
import type { ErrorCode } from "../../src/domain/errors.ts";
import { ERROR_STATUS } from "../../src/server/http/error-status.ts";
import { keyOf } from "./requests.ts";

/** `text` is null for a stream not read to its end. */
export type Seen = { status: number; headers: Headers; text: string };

const THEIRS = ["gateway_unreachable", "gateway_failed", "gateway_garbage", "license_required"] as const;
const MISTRALS = ["mistral_rate_limited", "mistral_down", "mistral_garbage", "mistral_no_answer"] as const;

/** Routes that may answer 502 for an upstream error or 503 for a wait; any other 5xx is an error. */
const BEHIND: readonly [RegExp, readonly ErrorCode[]][] = [
  [/^\w+ \/api\/gateways/, THEIRS],
  [/^\w+ \/api\/mistral\//, MISTRALS],
  [/^(PUT|POST) \/api\/connections\/\{id\}\/assistant/, MISTRALS],
  [/^POST \/api\/whatsapp\/send$/, ["send_uncertain", "unavailable"]],
  [/^DELETE \/api\/whatsapp\/(session|devices)\//, ["unavailable", ...THEIRS]],
  [/^POST \/api\/whatsapp\/connect$|^POST \/api\/connections\/\{id\}\//, ["unavailable", ...THEIRS]],
  [/^POST \/hooks\/evolution\//, ["unavailable"]],
];

/** Null when the answer is correct. `route`: the endpoint that the request meets, if any. */
export function errorIn(
  route: EndpointSpec | null,
  asked: { method: string; language: string },
  seen: Seen,
): string | null {
  return (
    leak(seen.text) ??
    missingHeader(route, seen) ??
    (seen.status < 400 ? successError(route, asked.method, seen) : refusalError(route, asked, seen))
  );
}

/** Stack traces, statements and file paths must not leave the server. */
function leak(text: string): string | null {
  const found =
    /\n\s+at .{1,200}:\d+:\d+|node_modules\/|\b(?:select|insert into|update) .{1,80} (?:from|values|set) |ZodError|PostgresError/.exec(
      text.slice(0, 20_000),
    );
  return found && `an internal detail leaks: ${found[0].slice(0, 100)}`;
}

function missingHeader(route: EndpointSpec | null, { headers }: Seen): string | null {
  if (headers.get("x-content-type-options") !== "nosniff") return "no x-content-type-options";
  if (route?.path.startsWith("/hooks/")) return null;
  if (!headers.get("content-security-policy")?.includes("default-src")) return "no content-security-policy";
  return null;
}

function successError(
  route: EndpointSpec | null,
  method: string,
  { status, headers, text }: Seen,
): string | null {
  if (!route) return `${status} where nothing is served`;
  if (method === "HEAD") return text === "" ? null : "a HEAD with a body";
  const promised = route.status ?? 200;
  if (status === 304) return null;
  if (route.answer === "stream" || promised === 204) return null;
  if (!(route.answer instanceof ZodType)) return "an endpoint without an answer";
  if (status !== promised && status !== route.later) return `${status}, ${promised} was promised`;
  if (!headers.get("content-type")?.startsWith("application/json")) return "no JSON";
  const value: unknown = JSON.parse(text);
  const parsed = route.answer.safeParse(value);
  if (!parsed.success) return `not what the contract promises: ${parsed.error.message.slice(0, 300)}`;
  return isDeepStrictEqual(JSON.parse(JSON.stringify(parsed.data)), value)
    ? null
    : "more than the contract promises";
}

function refusalError(
  route: EndpointSpec | null,
  { method, language }: { method: string; language: string },
  { status, headers, text }: Seen,
): string | null {
  if (method === "HEAD") return status < 500 ? null : `${status} to a HEAD`;
  if (!headers.get("content-type")?.startsWith("application/json")) return `${status} without JSON`;
  const refused = JSON.parse(text) as { code?: unknown; error?: unknown; fields?: Record<string, unknown> };
  const { code, error, fields = {} } = refused;
  if (typeof code !== "string" || !Object.hasOwn(ERROR_MESSAGES, code))
    return `an unknown code ${String(code)}`;
  if (ERROR_STATUS[code as ErrorCode] !== status) return `${code} with ${status}`;
  if (status >= 500 && !mayFail(route, code as ErrorCode)) return `${status} ${code}`;
  for (const words of [error, ...Object.values(fields)])
    if (typeof words !== "string" || !/^\p{Lu}.*\p{L}{3}/u.test(words)) return `no words: ${String(words)}`;
  const english = ENGLISH.errorText(code as ErrorCode, {});
  if (language === "pt" && error === english && english !== ERROR_MESSAGES[code as ErrorCode])
    return `English words: ${String(error)}`;
  return null;
}

function mayFail(route: EndpointSpec | null, code: ErrorCode): boolean {
  if (!route) return false;
  return BEHIND.some(([routes, codes]) => routes.test(keyOf(route)) && codes.includes(code));
}
