import { setTimeout as pause } from "node:timers/promises";
import { sql } from "kysely";
import { expect, onTestFinished, test, vi } from "vitest";
import { testDatabase } from "../support/database.ts";
import { type LabOptions, type MadeInstance, makeInstance, openLab, upsert } from "./lab.ts";

const own = await testDatabase();
const { db } = own;

const EACH_MS = 10;
const FLOOD = 400;
/** Most that one account's turn of 250 ms takes in, in parts that double. */
const OF_A_TURN = 16 + 32;

async function flood({ accountId, connectionId }: MadeInstance, events: number): Promise<void> {
  const body = JSON.stringify(upsert("ID", "Oi"));
  await sql`insert into webhook_event (account_id, connection_id, key, body)
    select ${accountId}::uuid, ${connectionId}::bigint, 'messages.upsert:F' || i, replace(${body}::text, '"ID"', '"F' || i || '"')
    from generate_series(1, ${events}::int) i`.execute(db);
}

async function reader(options: LabOptions = {}) {
  const seen: string[] = [];
  const lab = await openLab(own, {
    ...options,
    intake: (real) => ({
      ...real,
      receiveMessages: async ({ connectionId }, messages) => {
        for (const { providerId } of messages) {
          await pause(EACH_MS);
          seen.push(`${connectionId} ${providerId}`);
        }
      },
    }),
  });
  onTestFinished(async () => {
    await sql`delete from webhook_event`.execute(db);
    await lab.close();
  });
  return { lab, seen };
}

test("27.1 an event waits for a turn of other accounts, not for all that they have", async () => {
  const { lab, seen } = await reader();
  const hostile = await Promise.all(Array.from({ length: 4 }, () => makeInstance(db)));
  for (const one of hostile) await flood(one, FLOOD);
  lab.webhooks.wake();
  await vi.waitFor(() => expect(seen.length).toBeGreaterThan(0), 60_000);
  const honest = await makeInstance(db);
  const before = seen.length;
  expect((await lab.send(honest, upsert("H1", "SAIR"))).status).toBe(200);
  const isTaken = () => expect(seen).toContain(`${honest.connectionId} H1`);
  await vi.waitFor(isTaken, { timeout: 60_000, interval: 5 });
  const between = seen.indexOf(`${honest.connectionId} H1`) - before;
  expect(between).toBeLessThanOrEqual(4 * OF_A_TURN);
});

test("27.2 a word of leaving is read before everything else of its account", async () => {
  const { lab, seen } = await reader();
  const instance = await makeInstance(db);
  await flood(instance, FLOOD);
  lab.webhooks.wake();
  await vi.waitFor(() => expect(seen.length).toBeGreaterThan(0), 60_000);
  const before = seen.length;
  expect((await lab.send(instance, upsert("L1", "parem de me mandar mensagens"))).status).toBe(200);
  await vi.waitFor(() => expect(seen).toContain(`${instance.connectionId} L1`), {
    timeout: 60_000,
    interval: 5,
  });
  expect(seen.indexOf(`${instance.connectionId} L1`) - before).toBeLessThanOrEqual(2 * OF_A_TURN);
});

const BROKEN: LabOptions["intake"] = (real) => ({
  ...real,
  receiveMessages: () => Promise.reject(new Error("cannot be taken in")),
});

async function tryAgain(times: number): Promise<void> {
  for (let tries = 1; tries <= times; tries += 1) {
    await vi.waitFor(async () => {
      const { rows } = await sql`select from webhook_event where tries = ${tries}`.execute(db);
      expect(rows).toHaveLength(1);
    }, 60_000);
    await sql`update webhook_event set not_before = now()`.execute(db);
  }
}

test("27.2 a possible opt-out in an unreadable event is left to a person, not forgotten", async () => {
  const left: unknown[] = [];
  let broken = true;
  const lab = await openLab(own, {
    intake: BROKEN,
    optOut: async (owner, ...replies) => {
      if (broken) throw new Error("not now");
      left.push(...replies.map((one) => ({ accountId: owner.accountId, ...one })));
    },
  });
  onTestFinished(lab.close);
  const { accountId, connectionId, ...rest } = await makeInstance(db);
  await lab.send({ accountId, connectionId, ...rest }, upsert("X1", "SAIR"));
  await tryAgain(4);
  // That failed too: the event stays, and its person is excluded from campaigns.
  await vi.waitFor(() => expect(lab.logged()).toContain("could not be left out"), 60_000);
  const { rows } = await sql`select from unread_leaving`.execute(db);
  expect(rows.length).toBeGreaterThan(0);
  broken = false;
  await sql`update webhook_event set not_before = now()`.execute(db);
  await lab.settled();
  expect(left).toEqual([{ accountId, connectionId, phone: "5511911112222", text: "SAIR", doubtful: true }]);
});
