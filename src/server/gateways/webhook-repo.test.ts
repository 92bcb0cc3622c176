import { sql } from "kysely";
import { afterEach, expect, test } from "vitest";
import { testDatabase, testLog } from "../../../tests/support/database.ts";
import { unhurried, untilWaiting } from "../../../tests/support/waiting.ts";
import { type MadeInstance, makeInstance, upsert } from "../../../tests/webhooks/lab.ts";
import { takeIn } from "./webhook-effects.ts";
import { noteArrivals, noteStamp, takeEvents, takeStates, toldBefore } from "./webhook-repo.ts";

const { db } = await testDatabase();
afterEach(() => sql`delete from webhook_event`.execute(db));

const KB = 1024;

async function store({ connectionId }: MadeInstance, id: string, bytes: number): Promise<void> {
  const isPicture = bytes > 256 * KB;
  const event = isPicture
    ? upsert(id, "", {
        messageType: "imageMessage",
        message: { imageMessage: { mimetype: "image/jpeg" }, base64: "A".repeat(bytes) },
      })
    : upsert(id, "o".repeat(bytes));
  await sql`insert into webhook_event (connection_id, key, body)
    values (${connectionId}, ${`messages.upsert:${id}`}, ${JSON.stringify(event)})`.execute(db);
}

test("however many small events wait, and however large, pictures have their part of each batch", async () => {
  const instance = await makeInstance(db);
  for (let nth = 0; nth < 100; nth += 1) await store(instance, `T${nth}`, 250 * KB);
  await store(instance, "P", 300 * KB);
  const keys = await db.transaction().execute(async (tx) => (await takeEvents(tx)).map(({ key }) => key));
  expect(keys).toContain("messages.upsert:P");
  expect(keys.length, "what fits into memory").toBeLessThan(80);
  expect(keys.length).toBeGreaterThan(30);
});

test("of one connection what came first is taken in first, a picture before the text that asks about it", async () => {
  const instance = await makeInstance(db);
  for (const [id, bytes] of [
    ["A", 10],
    ["P", 300 * KB],
    ["B", 10],
  ] as const)
    await store(instance, id, bytes);
  const told: string[] = [];
  await db.transaction().execute(async (tx) =>
    takeIn(
      {
        log: testLog,
        receiveMessages: async (_, messages) =>
          void told.push(...messages.map(({ providerId }) => providerId)),
        recordEchoes: async () => undefined,
        settleReceipts: async () => undefined,
        readElsewhere: async () => undefined,
      },
      tx,
      await takeEvents(tx),
    ),
  );
  expect(told).toEqual(["A", "P", "B"]);
});

test("several instances are taken in one order by whoever notes something of them", async () => {
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
  // Its row lies behind the other one's on the disk then.
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
  // Its last of many tries.
  expect(await isNews(-30)).toBe(false);
  // Started anew with its own time zone, of which it marks the hours as UTC.
  expect(await isNews(-179)).toBe(true);
  expect(await isNews(-179)).toBe(false);
  expect(await isNews(-178)).toBe(true);
});

test("what an account's gateways told before now is waited for: nothing later, nothing of others, and nothing that could not be read", async () => {
  const [one, other] = [await makeInstance(db), await makeInstance(db)];
  await store(other, "O", 10);
  await store(one, "A", 10);
  await store(one, "B", 10);
  const isIn = await toldBefore(db, one.accountId);
  await store(one, "LATER", 10);
  const drop = (key: string) =>
    sql`delete from webhook_event where key = ${`messages.upsert:${key}`}`.execute(db);
  expect(await isIn()).toBe(false);
  await drop("A");
  expect(await isIn()).toBe(false);
  await sql`update webhook_event set tries = 1 where key = 'messages.upsert:B'`.execute(db);
  expect(await isIn()).toBe(true);
  expect(await (await toldBefore(db, other.accountId))()).toBe(false);
  await drop("O");
  expect(await (await toldBefore(db, other.accountId))()).toBe(true);
});
