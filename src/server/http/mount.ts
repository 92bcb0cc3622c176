import { ZodObject, type ZodType, type z } from "zod";
import type { EndpointSpec } from "../../contract/endpoint.ts";
import { AppError } from "../../domain/errors.ts";
import { currentRequest } from "../base/request-context.ts";
import type { Db } from "../db/client.ts";
import { type Owner, ownerOf } from "../db/owner.ts";
import { cutWhereItFails } from "./abort-on-stream-error.ts";
import type { App } from "./app.ts";
import { limitedStream, readJson, refuseOtherThanJson } from "./body.ts";
import { fieldError } from "./errors.ts";
import { fieldErrors } from "./field-errors.ts";
import { checkHost, needsHost } from "./host.ts";
import { checkOrigin } from "./origin.ts";
import { type Caller, guard } from "./session-guard.ts";
import { StreamedJson } from "./streamed-json.ts";
import { clientAddress } from "./wire.ts";

const DEFAULT_MAX_BODY = 1024 * 1024;

type Parsed<Schema> = Schema extends ZodType ? z.output<Schema> : undefined;
type Body<Schema> = Schema extends "raw" ? ReadableStream<Uint8Array> : Parsed<Schema>;
/** Streamed field's body, read while it arrives. */
type BodyOf<E extends EndpointSpec> = E extends { streamed: string; body: infer Schema extends ZodType }
  ? StreamedJson<z.output<Schema>>
  : Body<Of<E, "body">>;
type Of<E, Key extends string> = E extends Record<Key, infer Value> ? Value : undefined;

/** Parsed by the endpoint's schemas. */
export type Call<E extends EndpointSpec> = {
  owner: E["access"] extends "public" ? null : Owner;
  account: E["access"] extends "public" ? null : Caller;
  params: Parsed<Of<E, "params">>;
  query: Parsed<Of<E, "query">>;
  /** For a `raw` endpoint bytes, failing with `payload_too_large`. */
  body: BodyOf<E>;
  request: Request;
  address: string;
  headers: Headers;
};

/** A `Response` is sent as it is: files, streams, another status. */
export type Handler<E extends EndpointSpec> = (call: Call<E>) => Promise<Answer<E>> | Answer<E>;
type Answer<E extends EndpointSpec> = (E["answer"] extends ZodType ? z.input<E["answer"]> : never) | Response;

/** Serves a contract's endpoint with its access check and schemas. */
export function mount<const E extends EndpointSpec>(app: App, endpoint: E, handler: Handler<E>): void {
  app.endpoints.push(endpoint);
  const path = endpoint.path.replace(/\{(\w+)\}/g, ":$1");
  app.hono.on(endpoint.method, path, async (c) => {
    const request = c.req.raw;
    const visit = currentRequest();
    if (visit) visit.route = `${endpoint.method} ${endpoint.path}`;
    if (needsHost(endpoint, request)) checkHost(app, request);
    checkOrigin(request, app.publicOrigin);
    const account = await guard(endpoint, request, app.authenticate);
    if (visit && account)
      visit.actor = account.via === "key" ? { by: "key", keyName: account.keyName } : { by: "session" };
    const headers = new Headers();
    const call = {
      owner: account && ownerOf(dbOf(app, endpoint, account.accountId, request), account.accountId),
      account,
      params: parseParams(endpoint.params, c.req.param()),
      query: parseQuery(endpoint.query, new URL(request.url).searchParams),
      body: await parseBody(endpoint, request),
      request,
      address: clientAddress(request, c.env?.incoming, app.trustedProxies),
      headers,
    };
    const answer = await handler(call as Call<E>);
    const response = respond(endpoint, answer, headers, request.method === "HEAD");
    return answer instanceof Response
      ? cutWhereItFails(response, { outgoing: c.env?.outgoing, log: app.log })
      : response;
  });
}

function dbOf(app: App, { method }: EndpointSpec, accountId: string, request: Request): Db {
  const reading = method === "GET" ? request.signal : null;
  return app.statements?.dbOf({ accountId, reading }) ?? app.db;
}

/** An impossible path answers like a missing row, revealing nothing. */
function parseParams(schema: ZodType | undefined, params: Record<string, string>): unknown {
  const parsed = schema?.safeParse(params);
  if (parsed && !parsed.success) throw new AppError("not_found");
  return parsed?.data;
}

function parseQuery(schema: ZodType | undefined, query: URLSearchParams): unknown {
  // Duplicate names are refused: parsers disagree on which counts, which enables attacks.
  if (new Set(query.keys()).size < query.size) throw new AppError("invalid_request");
  for (const value of query.values()) {
    if (!value.isWellFormed() || value.includes("\0")) throw new AppError("invalid_request");
  }
  return schema && parseWith(closed(schema), Object.fromEntries(query));
}

async function parseBody(endpoint: EndpointSpec, request: Request): Promise<unknown> {
  const { body, maxBody = DEFAULT_MAX_BODY } = endpoint;
  if (endpoint.ignoresBody) return undefined;
  if (body === undefined) {
    const length = Number(request.headers.get("content-length") ?? 0);
    const type = request.headers.get("content-type");
    if (length > maxBody) throw new AppError("payload_too_large");
    // Other sites can send forms without a preflight, not JSON.
    if (length > 0 && !type?.startsWith("application/json")) throw new AppError("unsupported_media_type");
    return undefined;
  }
  if (body === "raw") return limitedStream(request, maxBody);
  if (endpoint.streamed) {
    refuseOtherThanJson(request);
    return new StreamedJson(limitedStream(request, maxBody), endpoint.streamed, (value) =>
      parseWith(closed(body), value),
    );
  }
  return parseWith(closed(body), await readJson(request, maxBody));
}

/** Unknown fields are refused: no guessed `accountId`, no misspelt filter silently ignored. */
function closed(schema: ZodType): ZodType {
  return schema instanceof ZodObject && schema.def.catchall === undefined ? schema.strict() : schema;
}

function parseWith(schema: ZodType, value: unknown): unknown {
  const parsed = schema.safeParse(value, { reportInput: true });
  if (parsed.success) return parsed.data;
  throw fieldError(fieldErrors(parsed.error));
}

function respond(endpoint: EndpointSpec, answer: unknown, headers: Headers, head: boolean): Response {
  if (answer instanceof Response) {
    for (const [name, value] of headers) answer.headers.append(name, value);
    // A HEAD must not leave a stream or file open.
    if (head) void answer.body?.cancel();
    return answer;
  }
  const { status = 200 } = endpoint;
  if (endpoint.answer === "stream" || status === 204) return new Response(null, { status: 204, headers });
  // The schema strips everything not promised.
  return Response.json(endpoint.answer.parse(answer), { status, headers });
}
