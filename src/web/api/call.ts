import type { ZodType, z } from "zod";
import type { contract } from "../../contract/all.ts";
import { errorsText } from "../messages/errors.ts";
import { LANGUAGE } from "../messages/locale.ts";
import { ApiError } from "./api-error.ts";
import { noteServerTime } from "./server-clock.ts";
import { sessionEnded } from "./session-end.ts";

type Groups = typeof contract;
type EachOf<G> = G extends unknown ? G[keyof G] : never;
type Endpoint = EachOf<Groups[keyof Groups]>;
type KeyOf<E> = E extends { method: infer M extends string; path: infer P extends string }
  ? `${M} ${P}`
  : never;

export type ByKey = { [E in Endpoint as KeyOf<E>]: E };

export type EndpointKey = keyof ByKey;

type Param<E> = E extends { params: infer P extends ZodType }
  ? { params: { [N in keyof z.input<P>]: string | number } }
  : unknown;
type Query<E> = E extends { query: infer Q extends ZodType } ? { query?: z.input<Q> } : unknown;
type Body<E> = E extends { body: infer B }
  ? B extends ZodType
    ? { body: z.input<B> }
    : { body: Blob }
  : unknown;
type Options<E> = Param<E> & Query<E> & Body<E> & { signal?: AbortSignal };

type AnswerOf<E> = E extends { answer: infer A } ? (A extends ZodType ? z.output<A> : Response) : never;

/** What the endpoint answers, as JSON; a streamed answer is the `Response`. */
export type Answer<K extends EndpointKey> = AnswerOf<ByKey[K]>;

type Arguments<K extends EndpointKey> =
  Record<never, never> extends Options<ByKey[K]>
    ? [options?: Options<ByKey[K]>]
    : [options: Options<ByKey[K]>];

type Loose = {
  params?: Record<string, string | number>;
  query?: Record<string, unknown>;
  body?: unknown;
  signal?: AbortSignal;
};

const PATIENCE_MS = 10_000;
/** Writes may wait for WhatsApp, which takes longer than reading a list. */
const LONG_PATIENCE_MS = 100_000;
const UPLOAD_PATIENCE_MS = 30 * 60_000;

export async function api<K extends EndpointKey>(key: K, ...args: Arguments<K>): Promise<Answer<K>>;
export async function api(key: string, options: Loose = {}): Promise<unknown> {
  const response = await call(key, options);
  if (response.status === 204) return undefined;
  const type = response.headers.get("content-type") ?? "";
  if (!type.includes("application/json")) return response;
  return response.json().catch((cause: unknown) => {
    throw unanswered(cause, key, options);
  });
}

const methodOf = (key: string) => key.split(" ")[0] ?? "GET";
const pathOf = (key: string) => key.split(" ")[1] ?? "/";

async function call(key: string, options: Loose): Promise<Response> {
  let response: Response;
  try {
    response = await send(key, options);
  } catch (cause) {
    throw unanswered(cause, key, options);
  }
  noteServerTime(response);
  if (response.status === 401 && key !== "POST /api/login") sessionEnded();
  if (!response.ok) throw await answeredError(response);
  return response;
}

function send(key: string, options: Loose): Promise<Response> {
  const raw = options.body instanceof Blob;
  const headers: Record<string, string> = { accept: "application/json", "accept-language": LANGUAGE };
  if (options.body !== undefined) headers["content-type"] = raw ? blobType(options.body) : "application/json";
  const patience = AbortSignal.timeout(patienceFor(key, raw));
  return fetch(address(pathOf(key), options), {
    method: methodOf(key),
    headers,
    credentials: "same-origin",
    body: raw ? (options.body as Blob) : options.body === undefined ? null : JSON.stringify(options.body),
    signal: options.signal ? AbortSignal.any([patience, options.signal]) : patience,
  });
}

/** Endpoints at which our server asks another one: it times out first, and knows why. */
const ASKED_ELSEWHERE: readonly string[] = [
  "GET /api/gateways/{id}/instances",
  "GET /api/mistral/agents",
  "GET /api/mistral/agents/{agentId}",
  "GET /api/mistral/models",
] satisfies EndpointKey[];

function patienceFor(key: string, upload: boolean): number {
  // A dead connection must show: a piece is sent again, from where it broke off.
  if (upload && key !== ("PUT /api/attachments/uploads/{id}" satisfies EndpointKey))
    return UPLOAD_PATIENCE_MS;
  return key.startsWith("GET ") && !ASKED_ELSEWHERE.includes(key) ? PATIENCE_MS : LONG_PATIENCE_MS;
}

const blobType = (body: unknown) => (body instanceof Blob && body.type) || "application/octet-stream";

export function address(path: string, { params, query }: Pick<Loose, "params" | "query">): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(String(params?.[name] ?? "")),
  );
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {}))
    if (value !== undefined && value !== null && value !== "") search.set(name, String(value));
  return search.size > 0 ? `${filled}?${search}` : filled;
}

function unanswered(cause: unknown, key: string, { signal }: Loose): unknown {
  if (signal?.aborted) return cause;
  const reads = methodOf(key) === "GET";
  if (reads && cause instanceof DOMException && cause.name === "TimeoutError")
    return new ApiError({ code: "timeout", text: errorsText.timeout, status: 0 });
  const offline = !navigator.onLine;
  const code = offline ? "offline" : "unreachable";
  return new ApiError({ code, text: errorsText[reads ? code : (`${code}Submission` as const)], status: 0 });
}

async function answeredError(response: Response): Promise<ApiError> {
  const body: unknown = await response.json().catch(() => null);
  const answer = (typeof body === "object" && body !== null ? body : {}) as Record<string, unknown>;
  return new ApiError({
    code: typeof answer.code === "string" ? answer.code : "unexpected",
    text: typeof answer.error === "string" ? answer.error : errorsText.unexpected(response.status),
    status: response.status,
    fields: (answer.fields ?? {}) as Record<string, string>,
    details: (answer.details ?? {}) as Record<string, unknown>,
  });
}
