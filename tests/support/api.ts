import type { Db } from "../../src/server/db/client.ts";
import { type App, createApp } from "../../src/server/http/app.ts";
import { testLog } from "./database.ts";

/** What a request got. `body` is the parsed JSON, or the text of any other answer. */
export type Answer<T> = { status: number; body: T; headers: Headers };

/** Somebody's calls of the interface: method, path, JSON body. The caller says what type the answer has. */
export type Caller = <T>(method: string, path: string, body?: unknown) => Promise<Answer<T>>;

/** The HTTP side of some features without a socket, open to whatever account a test says it is. */
export function testApi(db: Db, mountAll: (app: App) => void): (accountId: string) => Caller {
  const app = createApp({
    db,
    log: testLog,
    publicOrigin: null,
    trustedProxies: 0,
    authenticate: async (request) => {
      const accountId = request.headers.get("x-account");
      return accountId ? { accountId, via: "session", sessionId: "1" } : null;
    },
  });
  mountAll(app);
  return (accountId) =>
    async <T>(method: string, path: string, body?: unknown) => {
      const headers = {
        "x-account": accountId,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      };
      const init = body === undefined ? { method, headers } : { method, headers, body: JSON.stringify(body) };
      const response = await app.hono.request(path, init);
      // Unlike response.text(), this leaves a byte order mark in its place.
      const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(await response.arrayBuffer());
      const json = response.headers.get("content-type")?.includes("json");
      return {
        status: response.status,
        body: (json ? JSON.parse(text) : text) as T,
        headers: response.headers,
      };
    };
}
