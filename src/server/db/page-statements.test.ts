import { type RawBuilder, sql } from "kysely";
import { expect, onTestFinished, test } from "vitest";
import { testDatabase, testLog } from "../../../tests/support/database.ts";
import { FairQueue } from "../jobs/fair-queue.ts";
import { byIndex } from "./by-index.ts";
import { openDatabase } from "./client.ts";
import { type PageCall, PageStatements, type PageStatementsOptions } from "./page-statements.ts";
import { executePrepared } from "./prepared.ts";

const { db, url } = await testDatabase();

type Lab = Partial<PageStatementsOptions> & { max?: number; running?: number; waitingOfAccount?: number };

function openPages({ max = 8, running = 6, waitingOfAccount = 100, ...options }: Lab = {}) {
  const name = `pages-${Math.random().toString(36).slice(2)}`;
  const database = openDatabase(url, { log: testLog, max, name });
  onTestFinished(() => database.close());
  const turns = new FairQueue({ name, running, runningOfAccount: 4, waitingOfAccount }, performanceClock);
  const searches = new FairQueue(
    { name, running: 2, runningOfAccount: 1, waitingOfAccount: 100 },
    performanceClock,
  );
  const statements = new PageStatements({ database, turns, searches, ...options });
  const call = (one: Partial<PageCall> = {}) =>
    statements.dbOf({ accountId: "a", reading: new AbortController().signal, ...one });
  const running_ = async () => {
    const { rows } = await sql<{ n: number }>`select count(*)::int as n from pg_stat_activity
      where application_name = ${name} and state = 'active'`.execute(db);
    return rows[0]?.n ?? 0;
  };
  return { database, turns, call, active: running_ };
}
const performanceClock = { monotonic: () => performance.now() };

/** Runs until the test releases its advisory lock. */
async function gate() {
  const key = Math.floor(Math.random() * 1e9);
  const holder = openDatabase(url, { log: testLog, max: 1 });
  await holder.query("select pg_advisory_lock($1)", [key]);
  let open = false;
  const unlock = async () => {
    if (open) return;
    open = true;
    await holder.close();
  };
  onTestFinished(unlock);
  return { slow: sql`select pg_advisory_xact_lock_shared(${key})` as RawBuilder<unknown>, unlock };
}

test("27.4 an account has four statements at once, and another account's page does not wait for them", async () => {
  const { call, active, turns } = openPages();
  const { slow, unlock } = await gate();
  const pages = Array.from({ length: 20 }, () => slow.execute(call()));
  await expect.poll(() => turns.figures()).toMatchObject({ running: 4, waiting: 16 });
  await expect.poll(active).toBe(4);
  expect((await sql`select 1 as n`.execute(call({ accountId: "b" }))).rows).toEqual([{ n: 1 }]);
  expect(await active()).toBe(4);
  await unlock();
  await Promise.all(pages);
});

test("27.1 27.4 an account's searches run one after the other, and beside them its pages and another's searches", async () => {
  const { call, active } = openPages();
  const { slow, unlock } = await gate();
  const searches = Array.from({ length: 5 }, () => byIndex(call(), slow));
  await expect.poll(active).toBe(1);
  expect((await sql`select 1 as n`.execute(call())).rows).toEqual([{ n: 1 }]);
  expect(await byIndex(call({ accountId: "b" }), sql`select 2 as n`)).toEqual([{ n: 2 }]);
  expect(await active()).toBe(1);
  await unlock();
  await Promise.all(searches);
});

test("27.4 a flood of slow pages leaves the pool of the sending free", async () => {
  const { call, turns } = openPages({ max: 4 });
  const work = openDatabase(url, { log: testLog, max: 1 });
  onTestFinished(() => work.close());
  const { slow, unlock } = await gate();
  const pages = Array.from({ length: 20 }, () => slow.execute(call()));
  await expect.poll(() => turns.figures().running).toBe(4);
  expect((await work.query("select 1 as n")).rows).toEqual([{ n: 1 }]);
  await unlock();
  await Promise.all(pages);
});

test("27.4 what a page asks ends in words when it takes too long; what changes something goes on", async () => {
  const { call } = openPages({ readLimitMs: 50 });
  const slow = sql`select pg_sleep(0.3)`;
  await expect(slow.execute(call())).rejects.toMatchObject({ code: "took_too_long" });
  await expect(executePrepared(sql`select pg_sleep(0.4)`, call())).rejects.toMatchObject({
    code: "took_too_long",
  });
  const inside = call()
    .transaction()
    .execute((tx) => slow.execute(tx));
  await expect(inside).rejects.toMatchObject({ code: "took_too_long" });
  expect((await slow.execute(call({ reading: null }))).rows).toHaveLength(1);
});

test("27.4 a connection on which a statement was cancelled serves the next page", async () => {
  const { call } = openPages({ max: 1, readLimitMs: 50 });
  for (let n = 0; n < 5; n++) {
    await expect(sql`select pg_sleep(10)`.execute(call())).rejects.toMatchObject({ code: "took_too_long" });
    expect((await sql`select 1 as n`.execute(call())).rows).toEqual([{ n: 1 }]);
  }
});

test("27.4 a caller who hangs up ends the statement in PostgreSQL and leaves the queue", async () => {
  const { call, active, turns } = openPages();
  const caller = new AbortController();
  const pages = Array.from({ length: 6 }, () =>
    sql`select pg_sleep(60)`.execute(call({ reading: caller.signal })).catch((error: unknown) => error),
  );
  await expect.poll(active).toBe(4);
  caller.abort();
  await expect.poll(active).toBe(0);
  for (const error of await Promise.all(pages)) expect(error).toMatchObject({ code: "invalid_request" });
  expect(turns.figures()).toMatchObject({ running: 0, waiting: 0 });
});

test("27.4 a page beyond the depth is refused, one that waits too long is refused, and a change that began is not", async () => {
  const { call, turns } = openPages({ waitingOfAccount: 1, waitLimitMs: 50 });
  const { slow, unlock } = await gate();
  const change = call({ reading: null });
  await sql`select 1`.execute(change);
  const held = Array.from({ length: 4 }, () => slow.execute(call({ reading: null })));
  await expect.poll(() => turns.figures().running).toBe(4);
  const waiting = sql`select 1`.execute(call());
  await expect(sql`select 1`.execute(call())).rejects.toMatchObject({ code: "too_many_requests" });
  const begun = sql`select 3 as n`.execute(change);
  await expect(waiting).rejects.toMatchObject({ code: "too_many_requests", details: { retryAfter: 5 } });
  await unlock();
  await Promise.all(held);
  expect((await begun).rows).toEqual([{ n: 3 }]);
});

test("27.4 requests that ask beside their own transaction do not wait for each other", async () => {
  const { call } = openPages();
  const { slow, unlock } = await gate();
  const both = Array.from({ length: 4 }, () => {
    const page = call({ reading: null });
    return page.transaction().execute(async (tx) => {
      await slow.execute(tx);
      return (await sql`select 1 as n`.execute(page)).rows;
    });
  });
  await unlock();
  for (const rows of await Promise.all(both)) expect(rows).toEqual([{ n: 1 }]);
});

test("a statement that fails is counted by its SQLSTATE, one that was cancelled is not", async () => {
  const codes: (string | null)[] = [];
  const { call } = openPages({ readLimitMs: 50, failed: (code) => codes.push(code) });
  await expect(sql`select 1 / 0`.execute(call())).rejects.toThrow();
  await expect(sql`select pg_sleep(1)`.execute(call())).rejects.toThrow();
  expect(codes).toEqual(["22012"]);
});
