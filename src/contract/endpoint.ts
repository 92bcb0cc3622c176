import type { ZodType } from "zod";

/** `key`: also programs with an API key (`Authorization: Bearer`). */
export type Access = "public" | "user" | "key";

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/**
 * `raw`: the handler reads the body stream (uploads). `stream`: the handler returns a `Response` (files,
 * events).
 */
export type EndpointSpec = {
  method: Method;
  path: `/${string}`;
  summary: string;
  access: Access;
  params?: ZodType;
  query?: ZodType;
  body?: ZodType | "raw";
  /** The long body field; the handler reads it and the fields after it as a stream. */
  streamed?: string;
  answer: ZodType | "stream";
  /** Media type of a stream, such as `image/*`; default any bytes. */
  media?: string;
  status?: 200 | 201 | 202 | 204;
  /** Status of the same answer while the work is still pending. */
  later?: 202;
  /** Keys with read-and-send scope may call it; otherwise they may only GET. */
  sends?: true;
  /** Any body is accepted unread: mail programs post one to unsubscribe. */
  ignoresBody?: true;
  /** Supervisors and gateways call by IP address, and no page can abuse it. */
  anyHost?: true;
  maxBody?: number;
};

/** Keeps the literal type, for server, web client and OpenAPI. */
export function endpoint<const E extends EndpointSpec>(spec: E): E {
  return spec;
}
