import type { IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";

/** `status` is null until an answer is written. */
export type MistralRequest = {
  at: Date;
  method: string;
  path: string;
  query: URLSearchParams;
  key: string | null;
  headers: IncomingMessage["headers"];
  body: unknown;
  status: number | null;
};

export async function readRequest(incoming: IncomingMessage, at: Date): Promise<MistralRequest> {
  const url = new URL(incoming.url ?? "/", "http://stand-in");
  const { method = "GET", headers } = incoming;
  const key = /^Bearer (.+)$/.exec(headers.authorization ?? "")?.[1] ?? null;
  const body = parse(await text(incoming));
  return { at, method, path: url.pathname, query: url.searchParams, key, headers, body, status: null };
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
