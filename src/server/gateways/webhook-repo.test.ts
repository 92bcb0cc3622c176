import { sql } from "kysely";
import { afterEach, expect, test } from "vitest";
import { testDatabase, testLog } from "../../../tests/support/database.ts";
import { rowsRead } from "../../../tests/support/rows-read.ts";
import { unhurried, untilWaiting } from "../../../tests/support/waiting.ts";
import { type MadeInstance, makeInstance, upsert } from "../../../tests/webhooks/lab.ts";
import type { Db } from "../db/client.ts";
import { takeIn } from "./webhook-effects.ts";
import {
  accountsWithEvents,
  eventsProcessedCheck,
  noteArrivals,
  noteStamp,
  takeEvents,
  takeStates,
  waitingByAccount,
} from "./webhook-repo.ts";

const { db } = await testDatabase();
// Deleted rows stay in the indexes until a vacuum and would count as read.
afterEach(() => sql`truncate webhook_event cascade`.execute(db));

const KB = 1024;

async function store({ accountId, connectionId }: MadeInstance, id: string, bytes: number): Promise<void> {
  const isPicture = bytes > 256 * KB;
  const event = isPicture
    ? upsert(id, "", {
        messageType: "imageMessage",
        message: { imageMessage: { mimetype: "image/jpeg" }, base64: "A".repeat(bytes) },
      })
    : upsert(id, "o".repeat(bytes));
  await sql`insert into webhook_event (connection_id, account_id, key, body)
    values (${connectionId}, ${accountId}::uuid, ${`messages.upsert:${id}`}, ${JSON.stringify(event)})`.execute(
    db,
  );
}

test("however many small events wait, and however large, pictures have their part of each batch", async () => {
  const instance = await makeInstance(db);
  for (let nth = 0; nth < 100; nth += 1) await store(instance, `T${nth}`, 250 * KB);
  await store(instance, "P", 300 * KB);
  const keys = await db
    .transaction()
    .execute(async (tx) => (await takeEvents(tx, instance.accountId)).map(({ key }) => key));
  expect(keys).toContain("messages.upsert:P");
  expect(keys.length, "what fits into memory").toBeLessThan(80);
  expect(keys.length).toBeGreaterThan(30);
});

async function takeAllIn(accountId: string): Promise<string[]> {
  const recorded: string[] = [];
  await db.transaction().execute(async (tx) =>
    takeIn(
      {
        log: testLog,
        receiveMessages: async (_, messages) =>
          void recorded.push(...messages.map(({ providerId }) => providerId)),
        recordOutgoing: async () => undefined,
        settleReceipts: async () => undefined,
        readElsewhere: async () => undefined,
        leaveOut: async () => undefined,
      },
      tx,
      await takeEvents(tx, accountId),
    ),
  );
  return recorded;
}

test("of one connection what came first is taken in first, a picture before the text that asks about it", async () => {
  const instance = await makeInstance(db);
  for (const [id, bytes] of [
    ["A", 10],
    ["P", 300 * KB],
    ["B", 10],
  ] as const)
    await store(instance, id, bytes);
  expect(await takeAllIn(instance.accountId)).toEqual(["A", "P", "B"]);
});

test("more messages of one connection than are taken in at once are taken in as they came", async () => {
  const instance = await makeInstance(db);
  const ids = Array.from({ length: 40 }, (_, nth) => `M${nth}`);
  for (const id of ids) await store(instance, id, 10);
  expect(await takeAllIn(instance.accountId)).toEqual(ids);
});

test("instances are locked in one order by all that write to them", async () => {
  const [first, second] = [await makeInstance(db), await makeInstance(db)];
  const [a, b] = [first.connectionId, second.connectionId];
  for (const id of [b, a])
    await sql`insert into webhook_state (connection_id, event, stamp, body) values (${id}, 'state', now(), '{}')`.execute(
      db,
    );
  const taken = await db.transaction().execute((tx) => takeStates(tx));
  expect(taken.map(({ connectionId }) => connectionId)).toEqual([a, b]);

  const take = (id: number) => sql`select from instance where connection_id = ${id} for no key update nowait`;
  const at = new Date();
  await sql`update instance set event_at = ${at} where connection_id = ${a}`.execute(db);
  const { noted } = await unhurried(db, async (tx) => {
    await take(a).execute(tx);
    const noting = noteArrivals(
      db,
      new Map([
        [b, at],
        [a, at],
      ]),
    );
    await untilWaiting(db);
    await take(b).execute(tx);
    return { noted: noting };
  });
  expect((await noted).map(({ connectionId }) => connectionId).toSorted()).toEqual([a, b].toSorted());
});

test("states are heard in the order of the gateway's clock, and again at once when that clock is put back", async () => {
  const { connectionId } = await makeInstance(db);
  const noon = Date.UTC(2026, 10, 22, 12);
  const isNews = (minutes: number) => noteStamp(db, connectionId, "state", new Date(noon + minutes * 60_000));
  expect(await isNews(0)).toBe(true);
  expect(await isNews(0)).toBe(false);
  expect(await isNews(-30)).toBe(false);
  expect(await isNews(-179)).toBe(true);
  expect(await isNews(-179)).toBe(false);
  expect(await isNews(-178)).toBe(true);
});

test("only earlier readable events of the account's own gateways are waited for", async () => {
  const [one, other] = [await makeInstance(db), await makeInstance(db)];
  await store(other, "O", 10);
  await store(one, "A", 10);
  await store(one, "B", 10);
  const isIn = await eventsProcessedCheck(db, one.accountId);
  await store(one, "LATER", 10);
  const drop = (key: string) =>
    sql`delete from webhook_event where key = ${`messages.upsert:${key}`}`.execute(db);
  expect(await isIn()).toBe(false);
  await drop("A");
  expect(await isIn()).toBe(false);
  await sql`update webhook_event set tries = 1, not_before = now() + interval '5 s' where key = 'messages.upsert:B'`.execute(
    db,
  );
  expect(await isIn()).toBe(true);
  expect(await (await eventsProcessedCheck(db, other.accountId))()).toBe(false);
  await drop("O");
  expect(await (await eventsProcessedCheck(db, other.accountId))()).toBe(true);
});

test("27.1 accounts with events are found, and the age of the oldest of each; what failed waits for its next try", async () => {
  const [one, other, third] = [await makeInstance(db), await makeInstance(db), await makeInstance(db)];
  for (const [nth, instance] of [one, other, third].entries()) await store(instance, `W${nth}`, 10);
  await store(one, "W9", 10);
  const age = (key: string, seconds: number) =>
    sql`update webhook_event set received_at = now() - make_interval(secs => ${seconds}) where key = ${`messages.upsert:${key}`}`.execute(
      db,
    );
  await age("W0", 5);
  await age("W1", 60);
  await sql`update webhook_event set tries = 1, not_before = now() + interval '1 hour' where key = 'messages.upsert:W2'`.execute(
    db,
  );
  expect(await accountsWithEvents(db)).toEqual([other.accountId, one.accountId]);
  const waiting = (await waitingByAccount(db)).map(({ accountId, seconds }) => [
    accountId,
    Math.round(seconds),
  ]);
  expect(waiting).toEqual([
    [other.accountId, 60],
    [one.accountId, 5],
  ]);
  await sql`update webhook_event set not_before = now() where key = 'messages.upsert:W2'`.execute(db);
  expect((await accountsWithEvents(db)).toSorted()).toEqual(
    [one.accountId, other.accountId, third.accountId].toSorted(),
  );
});

/** Leaves statistics of a table with pages and no rows, as after a night. */
async function drained(): Promise<void> {
  await store(await makeInstance(db), "N", 10);
  await sql`delete from webhook_event`.execute(db);
  await sql`analyze webhook_event`.execute(db);
}

test.each([
  ["", async () => undefined],
  [" after an empty queue was analyzed", drained],
])(
  "27.1 thirty thousand waiting events of one account are passed over, not read, to find the others and their events%s",
  async (_, before) => {
    await before();
    const [flooded, other] = [await makeInstance(db), await makeInstance(db)];
    await sql`insert into webhook_event (account_id, connection_id, key, body)
    select ${flooded.accountId}::uuid, ${flooded.connectionId}::bigint, i::text, repeat('x', 300) from generate_series(1, 30000) i`.execute(
      db,
    );
    await store(other, "Z", 10);
    const readBy = (ask: (tx: Db) => Promise<unknown>) =>
      db.transaction().execute((tx) => rowsRead(tx, "webhook_event", () => ask(tx)));
    expect(await readBy((tx) => takeEvents(tx, other.accountId))).toBeLessThan(50);
    expect(await readBy((tx) => takeEvents(tx, flooded.accountId))).toBeLessThan(5_000);
    expect(await readBy((tx) => accountsWithEvents(tx))).toBeLessThan(50);
    expect(await readBy((tx) => waitingByAccount(tx))).toBeLessThan(50);
  },
);

test("27.1 states are taken in turns of their accounts", async () => {
  const other = await makeInstance(db);
  const { accountId } = await makeInstance(db);
  await sql`insert into connection (account_id, kind, device_id, name, state)
    select ${accountId}::uuid, 'instance', 'S' || i, 'S' || i, 'connected' from generate_series(1, 250) i`.execute(
    db,
  );
  await sql`insert into instance (connection_id, account_id, gateway_id, gateway_url, name, hook_id, hook_secret)
    select c.id, c.account_id, g.id, 'http://s', c.name, c.name, '' from connection c join gateway g using (account_id)
    where c.account_id = ${accountId}::uuid and c.name like 'S%'`.execute(db);
  await sql`insert into webhook_state (connection_id, event, stamp, body)
    select id, 'state', now(), '{}' from connection where account_id = ${accountId}::uuid`.execute(db);
  await sql`insert into webhook_state (connection_id, event, stamp, body)
    values (${other.connectionId}, 'state', now(), '{}')`.execute(db);
  const taken = await db.transaction().execute((tx) => takeStates(tx));
  expect(taken).toHaveLength(200);
  expect(taken.map(({ connectionId }) => connectionId)).toContain(other.connectionId);
  await sql`delete from webhook_state`.execute(db);
});
