import { expect, test, vi } from "vitest";
import { cookieOf, PASSWORD, signUpForm, testAccounts, visitor } from "../../../tests/support/accounts.ts";
import { testDatabase, testLog } from "../../../tests/support/database.ts";
import { openLiveUpdates } from "../db/live-updates.ts";
import { createApp } from "../http/app.ts";
import { mountEvents } from "../http/events.ts";
import { mountAccounts } from "./routes.ts";
import { watchSessionEnds } from "./session-ends.ts";

const { database } = await testDatabase();

async function process() {
  const accounts = testAccounts(database);
  const changes = await openLiveUpdates(database, testLog);
  const ends = await watchSessionEnds(database);
  const { authenticate } = accounts;
  const app = createApp({
    db: database.db,
    log: testLog,
    authenticate,
    publicOrigin: null,
    trustedProxies: 0,
  });
  mountAccounts(app, accounts);
  mountEvents(app, changes, ends.watch);
  return { accounts, changes, hono: app.hono, stop: () => Promise.all([changes.close(), ends.close()]) };
}

test("a logout in one process ends the session's streams in another, and not those of another device", async () => {
  const [first, second] = await Promise.all([process(), process()]);
  const form = signUpForm();
  const cookies = [
    await first.accounts.signUp(form, visitor()),
    await first.accounts.login({ email: form.email, password: PASSWORD }, visitor()),
  ].map(({ setCookie }) => cookieOf(setCookie));
  const streams = await Promise.all(
    cookies.map(async (cookie) => second.hono.request("/api/events", { headers: { cookie } })),
  );
  const readers = streams.map((stream) => stream.body?.getReader());
  for (const reader of readers) expect((await reader?.read())?.done).toBe(false);

  const out = await first.hono.request("/api/logout", {
    method: "POST",
    headers: { cookie: cookies[0] ?? "" },
  });
  expect(out.status).toBe(204);
  expect((await readers[0]?.read())?.done).toBe(true);
  const other = readers[1]?.read().then(() => "ended");
  expect(await Promise.race([other, new Promise((resolve) => setTimeout(resolve, 300, "open"))])).toBe(
    "open",
  );
  await Promise.all([first.stop(), second.stop()]);
  expect(await other).toBe("ended");
});

test("a slow page gets each change once", async () => {
  const { accounts, changes, hono, stop } = await process();
  const { me, setCookie } = await accounts.signUp(signUpForm(), visitor());
  const answer = await hono.request("/api/events", { headers: { cookie: cookieOf(setCookie) } });
  const reader = answer.body?.getReader();
  const next = async () => Buffer.from((await reader?.read())?.value ?? []).toString();
  for (const topic of ["contacts", "campaigns", "contacts"] as const) changes.notifyHere(me.id, topic);
  expect(await next()).toMatch(/^retry/);
  expect([await next(), await next()].map((line) => /contacts|campaigns/.exec(line)?.[0])).toEqual([
    "contacts",
    "campaigns",
  ]);
  changes.notifyHere(me.id, "imports");
  expect(await next()).toContain("imports");
  await stop();
});

test("a stream without changes beats every 15 s, so that its page can tell it from a dead one", async () => {
  const { accounts, hono, stop } = await process();
  const { setCookie } = await accounts.signUp(signUpForm(), visitor());
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  const answer = await hono.request("/api/events", { headers: { cookie: cookieOf(setCookie) } });
  vi.advanceTimersByTime(15_000);
  vi.useRealTimers();
  const reader = answer.body?.getReader();
  const next = async () => Buffer.from((await reader?.read())?.value ?? []).toString();
  expect(await next()).toMatch(/^retry/);
  expect(await next()).toBe("event: beat\ndata:\n\n");
  await reader?.cancel();
  await stop();
});

test("as many streams as a browser could ever want, no more; who leaves makes room", async () => {
  const { accounts, hono, stop } = await process();
  const { setCookie } = await accounts.signUp(signUpForm(), visitor());
  const cookie = cookieOf(setCookie);
  const open = async () => hono.request("/api/events", { headers: { cookie } });
  for (let visits = 0; visits < 60; visits++) await (await open()).body?.cancel();
  const streams = await Promise.all(Array.from({ length: 50 }, open));
  expect(streams.map(({ status }) => status)).toEqual(streams.map(() => 200));
  const refused = await open();
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "15"]);
  await streams[0]?.body?.cancel();
  expect((await open()).status).toBe(200);
  await stop();
});
