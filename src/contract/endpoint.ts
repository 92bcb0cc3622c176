import type { ZodType } from "zod";

/** Who may call: anybody, a signed-in person, or also a program with an API key (`Authorization: Bearer`). */
export type Access = "public" | "user" | "key";

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** `raw`: the body is a stream the handler reads itself (uploads); `stream`: the handler answers with a `Response` (files, events). */
export type EndpointSpec = {
  method: Method;
  /** OpenAPI form: `/api/campaigns/{id}`. */
  path: `/${string}`;
  summary: string;
  access: Access;
  params?: ZodType;
  query?: ZodType;
  body?: ZodType | "raw";
  /** The body's field that may be long: the handler reads its text as it arrives, and the others behind it. */
  streamed?: string;
  answer: ZodType | "stream";
  /** What a stream is made of, `image/*` say; bytes of any kind unless said. */
  media?: string;
  /** HTTP status of success, 200 unless said. */
  status?: 200 | 201 | 202 | 204;
  /** Or this one, with the same answer, while what was asked for is still under way. */
  later?: 202;
  /** A key that may only read and send may call it too; such keys may otherwise only GET. */
  sends?: true;
  /** Whatever comes as its body is not read, so that it may come in any form: mail programs post one to unsubscribe. */
  ignoresBody?: true;
  /** Answered under any Host: by supervisors and gateways we are called by a number, and nothing here is a page's to abuse. */
  anyHost?: true;
  /** Upper bound of the request body in bytes; 1 MiB unless said. */
  maxBody?: number;
};

/** Says an endpoint once: server, typed web client and OpenAPI read the same object. Returns its argument with its literal type kept. */
export function endpoint<const E extends EndpointSpec>(spec: E): E {
  return spec;
}
