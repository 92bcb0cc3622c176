import type { Db } from "../../src/server/db/client.ts";
import { type App, createApp } from "../../src/server/http/app.ts";
import { testLog } from "./database.ts";

/** `body` is parsed JSON, or the text of any other answer. */
export type Answer<T> = { status: number; body: T; headers: Headers };

export type Caller = <T>(method: string, path: string, body?: unknown) => Promise<Answer<T>>;

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
      // Unlike response.text(), this keeps a byte order mark.
      const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(await response.arrayBuffer());
      const json = response.headers.get("content-type")?.includes("json");
      return {
        status: response.status,
        body: (json ? JSON.parse(text) : text) as T,
        headers: response.headers,
      };
    };
}
