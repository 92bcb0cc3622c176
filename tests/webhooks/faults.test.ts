import { sql } from "kysely";
import { afterAll, expect, onTestFinished, test, vi } from "vitest";
import type { Database } from "../../src/server/db/client.ts";
import { HOOK_SECRET_HEADER } from "../../src/server/gateways/webhook-secret.ts";
import { type EventRow, webhookStore } from "../../src/server/gateways/webhook-store.ts";
import { testDatabase } from "../support/database.ts";
import { startProduct } from "../support/server.ts";
import { endState, type MadeInstance, makeInstance, openLab, upsert } from "./lab.ts";

const own = await testDatabase();
const { db, database, url } = own;

/** Per test: changes to the intake must not meet the next test's events. */
async function labOf(...args: Parameters<typeof openLab>) {
  const lab = await openLab(...args);
  onTestFinished(lab.close);
  return lab;
}

const idsOf = async (instance: MadeInstance) =>
  ((await endState(db, instance)).messages as { provider_id: string }[]).map(
    ({ provider_id }) => provider_id,
  );

const waiting = async () =>
  (await sql<{ key: string; tries: number }>`select key, tries from webhook_event order by key`.execute(db))
    .rows;

test("a database that fails for a moment: 503 with Retry-After, and the next try is stored", async () => {
  let down = false;
  const prepared: Database["prepared"] = (name, ...rest) =>
    down && name === "webhook_store"
      ? Promise.reject(Object.assign(new Error("the database system is shutting down"), { code: "57P01" }))
      : database.prepared(name, ...rest);
  const lab = await labOf({ db, database: { ...database, prepared } });
  const instance = await makeInstance(db);
  down = true;
  const refused = await lab.send(instance, upsert("D1", "Oi"));
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "5"]);
  down = false;
  expect((await lab.send(instance, upsert("D1", "Oi"))).status).toBe(200);
  await lab.settled();
  expect(await idsOf(instance)).toEqual(["D1"]);
});

test("an event that cannot be taken in costs no other its place, and is kept apart after five tries", async () => {
  let broken = true;
  const lab = await labOf(own, {
    intake: (real) => ({
      ...real,
      receiveMessages: (of, messages) =>
        messages.some(({ providerId, text }) => text === "veneno" || (broken && providerId === "E5"))
          ? Promise.reject(new Error("cannot be taken in"))
          : real.receiveMessages(of, messages),
    }),
  });
  const instance = await makeInstance(db);
  const all = Array.from({ length: 10 }, (_, at) => upsert(`E${at}`, at === 3 ? "veneno" : "Oi"));
  const answers = await Promise.all(all.map((event) => lab.send(instance, event)));
  expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200));
  const others = ["E0", "E1", "E2", "E4", "E6", "E7", "E8", "E9"];
  // The test starts each retry: it is postponed as soon as the first is seen, which another follows within
  // seconds.
  const putOff = () =>
    sql`update webhook_event set not_before = now() + interval '1 hour' where not_before > now()`.execute(db);
  await vi.waitFor(async () => {
    await putOff();
    expect(await waiting()).toMatchObject([{ tries: 1 }, { tries: 1 }]);
  }, 60_000);
  await putOff();
  expect(await idsOf(instance)).toEqual(others);

  // A temporary error is repaired by a retry; the other event is given up.
  broken = false;
  for (let tries = 2; tries <= 5; tries++) {
    await sql`update webhook_event set not_before = now()`.execute(db);
    await vi.waitFor(async () => {
      const left = await waiting();
      expect(left).toEqual(tries < 5 ? [{ key: "messages.upsert:E3", tries }] : []);
    }, 60_000);
  }
  expect(await idsOf(instance)).toEqual([...others, "E5"].sort());
  const { oddities } = await endState(db, instance);
  expect(oddities).toMatchObject([{ reason: "malformed", event: "messages.upsert" }]);
});

test("a message that cannot be taken in is passed on all the same, at once and once", async () => {
  let broken = true;
  const lab = await labOf(own, {
    intake: (real) => ({
      ...real,
      receiveMessages: (of, messages) =>
        broken ? Promise.reject(new Error("not now")) : real.receiveMessages(of, messages),
    }),
  });
  // No listener: only the queue counts.
  const instance = await makeInstance(db, { relayUrl: "http://127.0.0.1:9/meu" });
  await lab.send(instance, upsert("P1", "Oi"));
  const relays = async () =>
    (
      await sql<{ key: string }>`select key from webhook_relay
        where connection_id = ${instance.connectionId}`.execute(db)
    ).rows;
  await vi.waitFor(async () => expect(await waiting()).toMatchObject([{ tries: 1 }]), 60_000);
  expect(await relays()).toEqual([{ key: "messages.upsert:P1" }]);
  broken = false;
  await sql`update webhook_event set not_before = null`.execute(db);
  await lab.settled();
  expect(await idsOf(instance)).toEqual(["P1"]);
  expect(await relays()).toHaveLength(1);
});

test("what takes long to be taken in for one instance keeps no other's events from being stored", async () => {
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  let slow = 0;
  let started = () => {};
  const begun = new Promise<void>((resolve) => {
    started = resolve;
  });
  const lab = await labOf(own, {
    intake: (real) => ({
      ...real,
      receiveMessages: async (of, messages) => {
        if (of.connectionId === slow) {
          started();
          await held;
        }
        return real.receiveMessages(of, messages);
      },
    }),
  });
  onTestFinished(release);
  const [quick, other] = [await makeInstance(db), await makeInstance(db)];
  slow = other.connectionId;
  await sql`insert into webhook_event (account_id, connection_id, key, body)
    select i.account_id, c, 'messages.upsert:' || k, b from unnest(
      ${[quick.connectionId, other.connectionId]}::bigint[], ${["Q1", "S1"]}::text[],
      ${[JSON.stringify(upsert("Q1", "Oi")), JSON.stringify(upsert("S1", "Oi"))]}::text[]) as t(c, k, b)
      join instance i on i.connection_id = c`.execute(db);
  await begun;
  const answers = Promise.all([
    lab.send(quick, upsert("Q1", "Oi")),
    lab.send(quick, upsert("Q2", "Tudo bem?")),
  ]).then((all) => all.map(({ status }) => status));
  expect(await answers).toEqual([200, 200]);
  release();
  await lab.settled();
  expect(await idsOf(quick)).toEqual(["Q1", "Q2"]);
  expect(await idsOf(other)).toEqual(["S1"]);
});

test("events of a removed instance are deleted with it", async () => {
  const lab = await labOf(own, {
    intake: (real) => ({ ...real, receiveMessages: () => Promise.reject(new Error("not now")) }),
  });
  const instance = await makeInstance(db);
  expect((await lab.send(instance, upsert("G1", "Oi"))).status).toBe(200);
  await vi.waitFor(async () => expect(await waiting()).toMatchObject([{ tries: 1 }]), 60_000);
  await sql`delete from connection where id = ${instance.connectionId}`.execute(db);
  expect((await lab.send(instance, upsert("G2", "Oi"))).status).toBe(200);
  await sql`update webhook_event set not_before = null`.execute(db);
  await lab.settled();
});

const ACCOUNT = "77777777-7777-4777-8777-777777777777";

const state = (connectionId: number, second: number): EventRow => ({
  accountId: ACCOUNT,
  connectionId,
  leaving: [],
  event: "connection.update",
  key: "connection.update",
  newestWins: true,
  stamp: Date.UTC(2026, 0, 1, 0, 0, second),
  body: JSON.stringify({ state: second }),
});

test("an instance in a loop keeps one row, the newest, and too many at once get 503", async () => {
  const store = webhookStore({ prepared: database.prepared, stored: () => undefined, maxWaiting: 50 });
  const seconds = Array.from({ length: 600 }, (_, at) => (at * 7) % 600);
  await Promise.all(seconds.map((second) => store.put(state(-7, second))));
  for (const second of [3, 598, 1]) await store.put(state(-7, second));
  const { rows } = await sql`select body from webhook_state where connection_id = -7`.execute(db);
  expect(rows).toEqual([{ body: '{"state":599}' }]);

  const message = (at: number): EventRow => ({
    ...state(-7, 0),
    accountId: ACCOUNT.replace(/^7/, String(at % 4)),
    key: `messages.upsert:${at}`,
    newestWins: false,
  });
  const all = await Promise.allSettled(Array.from({ length: 200 }, (_, at) => store.put(message(at))));
  const refused = all.filter(({ status }) => status === "rejected").length;
  expect(refused).toBe(150);
  const stored = await sql<{ n: number }>`select count(*)::int as n from webhook_event
    where connection_id = -7 and key like 'messages%'`.execute(db);
  expect(stored.rows[0]?.n).toBe(50);
  await sql`delete from webhook_event where connection_id = -7`.execute(db);
  await sql`delete from webhook_state where connection_id = -7`.execute(db);
});

test("sixty events a second of a looping instance beside the messages of another: all there, the lane poked a few times", async () => {
  const lab = await labOf(own);
  const [looping, quiet] = [await makeInstance(db), await makeInstance(db)];
  const start = Date.now();
  const loop = Array.from({ length: 600 }, (_, at) => ({
    event: "connection.update",
    data: { instance: looping.name, state: at % 2 ? "connecting" : "close", statusReason: 428 },
    date_time: new Date(start + at).toISOString(),
  }));
  const messages = Array.from({ length: 100 }, (_, at) => upsert(`Q${String(at).padStart(3, "0")}`, "Oi"));
  const began = performance.now();
  const answers = await Promise.all([
    ...loop.map((event) => lab.send(looping, event)),
    ...messages.map((event) => lab.send(quiet, event)),
  ]);
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  await lab.settled();
  expect(await idsOf(quiet)).toHaveLength(100);
  expect((await endState(db, looping)).instance).toMatchObject([{ state_stamp: new Date(start + 599) }]);
  expect(lab.pokes.length).toBeGreaterThan(0);
  expect(lab.pokes.length).toBeLessThanOrEqual((performance.now() - began) / 250 + 1);
});

test("an event says when something last came, and that the server reaches us", async () => {
  const lab = await labOf(own);
  const instance = await makeInstance(db);
  await lab.send(instance, upsert("T1", "Oi"));
  await vi.waitFor(async () => {
    const { rows } =
      await sql`select event_at > now() - interval '1 minute' as reported, reaches_us from instance
      join gateway on gateway.id = gateway_id where connection_id = ${instance.connectionId}`.execute(db);
    expect(rows).toEqual([{ reported: true, reaches_us: "yes" }]);
  }, 60_000);
});

test("F31 a product killed again and again loses nothing that it answered 200", async () => {
  const key = Buffer.alloc(32, 7).toString("base64");
  const product = await startProduct({
    databaseUrl: url,
    env: { RECADO_SECRET_KEY: key, LOG_LEVEL: "error" },
  });
  afterAll(() => product.close());
  const instance = await makeInstance(db);
  const answered: string[] = [];
  let next = 0;
  const post = async (id: string) => {
    const answer = await product.fetch(`/hooks/evolution/${instance.hookId}`, {
      method: "POST",
      headers: { "content-type": "application/json", [HOOK_SECRET_HEADER]: instance.secret },
      body: JSON.stringify({ instance: instance.name, ...upsert(id, `mensagem ${id}`) }),
    });
    if (answer.status === 200) answered.push(id);
  };
  for (let round = 0; round < 4; round++) {
    let killed = false;
    const until = answered.length + 150 + 130 * round;
    const client = async () => {
      while (!killed) await post(`K${next++}`).catch(() => undefined);
    };
    const clients = Array.from({ length: 16 }, client);
    await vi.waitFor(() => expect(answered.length).toBeGreaterThan(until), { timeout: 60_000, interval: 1 });
    await product.kill9();
    killed = true;
    await Promise.all(clients);
    await product.start();
  }
  await vi.waitFor(async () => expect(await waiting()).toEqual([]), { timeout: 60_000, interval: 50 });
  const there = await idsOf(instance);
  const missing = answered.filter((id) => !there.includes(id));
  expect({ missing, twice: there.length - new Set(there).size }).toEqual({ missing: [], twice: 0 });
  const { chats } = await endState(db, instance);
  expect(chats).toMatchObject([{ unread: there.length }]);
}, 600_000);
