import type { ZodType, z } from "zod";
import { contract } from "../../../src/contract/all.ts";
import type { EndpointSpec } from "../../../src/contract/endpoint.ts";
import { errorText } from "../../../src/contract/error-messages.ts";
import type { ErrorCode } from "../../../src/domain/errors.ts";
import { ERROR_STATUS } from "../../../src/server/http/error-status.ts";
import type { ByKey, EndpointKey } from "../../../src/web/api/call.ts";

type Part<E, Name extends string> =
  E extends Record<Name, infer S>
    ? S extends ZodType
      ? z.output<S>
      : S extends "raw"
        ? Blob
        : undefined
    : undefined;

export type Call<K extends EndpointKey> = {
  params: Part<ByKey[K], "params">;
  query: Part<ByKey[K], "query">;
  body: Part<ByKey[K], "body">;
};

type AnswerOf<E> = E extends { answer: infer A } ? (A extends ZodType ? z.input<A> : Response) : never;
export type FakeAnswer<K extends EndpointKey> = AnswerOf<ByKey[K]>;

export type Handler<K extends EndpointKey> = (call: Call<K>) => FakeAnswer<K> | Promise<FakeAnswer<K>>;
export type Handlers = { [K in EndpointKey]?: Handler<K> };
export type When<K extends EndpointKey> = (call: Call<K>) => boolean;

type RefusalDetails = { fields?: Record<string, string>; details?: Record<string, unknown> };

/** Status and text are those of the server. */
export class Refusal extends Error {
  readonly code: ErrorCode;
  readonly more: RefusalDetails;

  constructor(code: ErrorCode, more: RefusalDetails = {}) {
    super(code);
    this.code = code;
    this.more = more;
  }

  response(): Response {
    const { code, more } = this;
    const answer = { code, error: errorText(code, more.details), ...more };
    return Response.json(answer, { status: ERROR_STATUS[code] });
  }
}

/** `throw refuse("not_found")` in a handler. */
export const refuse = (code: ErrorCode, more?: RefusalDetails) => new Refusal(code, more);

export type Route = { key: EndpointKey; endpoint: EndpointSpec; pattern: RegExp };

const ENDPOINTS: EndpointSpec[] = Object.values(contract).flatMap((group) => Object.values(group));

/** Those without parameters first: `/api/chats/unread` is no `/api/chats/{id}`. */
export const ROUTES: Route[] = ENDPOINTS.toSorted(
  (a, b) => a.path.split("{").length - b.path.split("{").length,
).map((endpoint) => ({
  key: `${endpoint.method} ${endpoint.path}` as EndpointKey,
  endpoint,
  pattern: new RegExp(
    `^${endpoint.path.replaceAll(".", "\\.").replace(/\{(\w+)\}/g, (_, name: string) => `(?<${name}>[^/]+)`)}$`,
  ),
}));
