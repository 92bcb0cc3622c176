import { sql } from "kysely";
import { expect, test } from "vitest";
import { testDatabase } from "../../../../tests/support/database.ts";
import { laneLab } from "../../../../tests/support/lane-lab.ts";
import { enqueue, readOutbox } from "../outbox/outbox.ts";

const { db, database } = await testDatabase();
const { arrange } = laneLab({ db, database });

async function single(options: Parameters<typeof arrange>[0]) {
  const it = await arrange({ people: 0, ...options });
  const { id } = await enqueue(it.owner, {
    connectionId: it.connectionId,
    to: { phone: "5511988887777" },
    text: "Oi",
    attachmentId: null,
    idempotencyKey: null,
    origin: "chat",
  });
  return { ...it, id, read: () => readOutbox(it.owner, id) };
}

test("a single message that is refused for a while is tried three times, and then is an error with its reason", async () => {
  const minute = 60_000;
  const it = await single({
    times: { retry: [10 * minute, 20 * minute] },
    answer: () => ({ kind: "refused", code: "503", passing: true }),
  });
  const waits: number[] = [];
  await it.run();
  await it.until(async () => {
    const { rows } = await sql<{ minutes: number }>`with wait as (
        select round(extract(epoch from not_before - now()) / 60)::int as minutes
        from outbox where id = ${it.id} and status = 2 and not_before > now() for update)
      update outbox set not_before = now() from wait where id = ${it.id} returning minutes`.execute(db);
    waits.push(...rows.map(({ minutes }) => minutes));
    return (await it.read())?.state === "error" || it.phone.frames.length > 3;
  });
  expect(it.phone.frames).toHaveLength(3);
  expect(waits).toEqual([10, 20]);
  expect(await it.read()).toMatchObject({ state: "error", error: "503" });
});

test("a temporarily refused direct message is retried after 1 s and 2 s, not at the next look", async () => {
  const it = await single({ answer: () => ({ kind: "refused", code: "503", passing: true }) });
  const triedOnce = async () => (await it.read())?.state === "waiting" && !it.waitsForDatabase();
  await it.run();
  for (const [tries, waitMs] of [
    [1, 1_000],
    [2, 2_000],
  ] as const) {
    await it.until(async () => it.phone.frames.length === tries && (await triedOnce()), 0);
    await sql`update outbox set not_before = now() where id = ${it.id}`.execute(db);
    it.clock.advance(waitMs);
  }
  await it.until(async () => (await it.read())?.state === "error", 0);
  expect(it.phone.frames).toHaveLength(3);
});

test("a single message that may have left stays in doubt when it is given back unsent", async () => {
  const it = await single({ answer: () => ({ kind: "stop", cause: "banned", retryAt: "human" }) });
  await sql`update outbox set status = 2, ambiguous = true, tries = 1 where id = ${it.id}`.execute(db);
  await it.run();
  await it.until(async () => it.phone.frames.length === 1 && (await it.read())?.state === "waiting");
  const { rows } = await sql`select ambiguous, tries from outbox where id = ${it.id}`.execute(db);
  expect(rows).toEqual([{ ambiguous: true, tries: 1 }]);
});

test("a reaction leaves under its message's key, with the same id again; in doubt at a gateway it is said to be", async () => {
  const of = { id: "3A1", fromMe: false, participant: null, text: "oi" };
  const react = async (options: Parameters<typeof arrange>[0]) => {
    const it = await arrange({ people: 0, ...options });
    const { id } = await enqueue(it.owner, {
      connectionId: it.connectionId,
      to: { phone: "5511988887777" },
      text: "👍",
      attachmentId: null,
      idempotencyKey: null,
      origin: "chat",
      about: { key: "m1", of: { received: of }, action: "react" },
    });
    await it.run();
    return { ...it, read: () => readOutbox(it.owner, id) };
  };
  const lost = { kind: "ambiguous", reason: "cut" } as const;
  const device = await react({ answer: (message, nth) => (nth === 1 ? lost : sentAs(message.messageId)) });
  await device.until(async () => (await device.read())?.state === "sent");
  expect(device.phone.frames).toHaveLength(2);
  expect(new Set(device.phone.frames.map(({ messageId }) => messageId)).size).toBe(1);
  expect(device.phone.frames[1]).toMatchObject({ text: "👍", bearing: { what: "react", of } });
  const gateway = await react({ takesOurIds: false, answer: () => lost });
  await gateway.until(async () => (await gateway.read())?.state === "uncertain");
  expect(gateway.phone.frames).toHaveLength(1);
});

const sentAs = (providerId: string) => ({ kind: "accepted", providerId, at: Date.now() }) as const;
