import { randomUUID } from "node:crypto";
import { once } from "node:events";
import net from "node:net";
import { sql } from "kysely";
import { afterAll, expect, test } from "vitest";
import { testDatabase, testLog } from "../../../tests/support/database.ts";
import { unhurried, untilWaiting } from "../../../tests/support/waiting.ts";
import { endpoint } from "../../contract/endpoint.ts";
import type { Db } from "../db/client.ts";
import { PageStatements } from "../db/page-statements.ts";
import { FairQueue } from "../jobs/fair-queue.ts";
import { createApp } from "./app.ts";
import { listenHttp } from "./listen.ts";
import { mount } from "./mount.ts";

const { db, database } = await testDatabase();
const accountId = randomUUID();
const turns = new FairQueue(
  { name: "statements", running: 8, runningOfAccount: 4, waitingOfAccount: 4 },
  { monotonic: () => performance.now() },
);
const waits = sql`select pg_advisory_xact_lock(27)`;
const held = (work: () => Promise<void>) =>
  unhurried(db, async (tx) => {
    await waits.execute(tx);
    await work();
  });
function appWith(statements?: PageStatements, pages: Db = db) {
  const app = createApp({
    db: pages,
    publicOrigin: null,
    trustedProxies: 0,
    log: testLog,
    ...(statements ? { statements } : {}),
    authenticate: async () => ({ accountId, via: "session", sessionId: "1" }),
  });
  for (const method of ["GET", "POST"] as const)
    mount(
      app,
      endpoint({ method, path: "/api/slow", summary: "", access: "user", answer: "stream" }),
      async ({ owner }) => {
        await waits.execute(owner.db);
        await sql`insert into account (id, name, email, terms_version, terms_accepted_at)
        values (${randomUUID()}, ${method}, ${`${randomUUID()}@exemplo.com.br`}, '1', now())`.execute(
          owner.db,
        );
        return new Response("done");
      },
    );
  return app;
}
const statements = (readLimitMs: number) =>
  new PageStatements({ database, turns, searches: turns, readLimitMs });
const server = await listenHttp(appWith(statements(60_000)), "127.0.0.1", 0);
afterAll(() => server.stop(0));

async function askAndHangUp(method: string, count: number) {
  const socket = net.connect(server.port, "127.0.0.1");
  socket.on("error", () => undefined);
  socket.write(`${method} /api/slow HTTP/1.1\r\nHost: localhost\r\nOrigin: http://localhost\r\n\r\n`);
  await untilWaiting(db, count);
  socket.destroy();
  await once(socket, "close");
}

test("27.4 a page's statement ends with the page, and what a page changes does not", async () => {
  await held(async () => {
    // The POST hangs up first: when the GET's statement ends, the server has noticed both.
    await askAndHangUp("POST", 1);
    await askAndHangUp("GET", 2);
    await untilWaiting(db, 1);
  });
  const names = async () => (await sql<{ name: string }>`select name from account`.execute(db)).rows;
  await expect.poll(names).toEqual([{ name: "POST" }]);
});

test("27.4 what takes too long is answered in words, as 503 and when to try again", () =>
  held(async () => {
    const answer = await appWith(statements(50)).hono.request("/api/slow");
    expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "5"]);
    expect(await answer.json()).toEqual({
      code: "took_too_long",
      error: expect.stringMatching(/demorou demais/),
    });
  }));

test("27.4 a statement that the pool's own limit ended is no error of ours that a log must tell", () =>
  held(async () => {
    const answer = await database.session(async (session) => {
      await sql`set statement_timeout = 20`.execute(session.db);
      return appWith(undefined, session.db).hono.request("/api/slow", { method: "POST" });
    });
    expect([answer.status, await answer.json()]).toMatchObject([503, { code: "took_too_long" }]);
  }));
