import { sql } from "kysely";
import { afterEach, expect, test } from "vitest";
import { testDatabase, testLog } from "../../../tests/support/database.ts";
import { type MadeInstance, makeInstance, upsert } from "../../../tests/webhooks/lab.ts";
import { takeIn } from "./webhook-effects.ts";
import { takeEvents } from "./webhook-repo.ts";

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
      },
      tx,
      await takeEvents(tx),
    ),
  );
  expect(told).toEqual(["A", "P", "B"]);
});
