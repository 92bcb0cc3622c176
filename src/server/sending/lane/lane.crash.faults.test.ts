import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import { expect, test } from "vitest";
import { testDatabase } from "../../../../tests/support/database.ts";
import { laneLab } from "../../../../tests/support/lane-lab.ts";
import { unhurried, untilWaiting } from "../../../../tests/support/waiting.ts";
import { DELIVERY } from "../../../domain/delivery.ts";
import { enqueue, readOutbox } from "../outbox/outbox.ts";
import { acquireConnection } from "../ownership/acquire.ts";

const { db, database } = await testDatabase();
const { arrange, open } = laneLab({ db, database });

test("who stands behind a single message when the process dies is found by the next owner", async () => {
  const [first, single] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const it = await arrange({
    people: 8,
    answer: async ({ messageId, text }) => {
      await (text === "avulsa" ? single : first).promise;
      return { kind: "accepted", providerId: messageId, at: Date.now() };
    },
  });
  await it.run();
  await it.until(() => it.phone.frames.length === 1);
  const { id } = await enqueue(it.owner, {
    connectionId: it.connectionId,
    to: { phone: "5511988887777" },
    text: "avulsa",
    attachmentId: null,
    idempotencyKey: null,
    origin: "chat",
  });
  for (const lane of open) lane.wakeForDirect();
  const handedOut = async () =>
    (await sql`select from outbox where id = ${id} and status = ${DELIVERY.sending}`.execute(db)).rows
      .length > 0;
  await it.until(async () => (await handedOut()) && !it.waitsForDatabase());
  first.resolve();
  await it.until(async () => (await it.ledger()).rows[DELIVERY.sent] === 1);
  expect((await it.ledger()).rows[DELIVERY.sending]).toBe(3);
  await acquireConnection(db, it.connectionId, randomUUID(), "resend");
  expect((await it.ledger()).rows).toEqual([4, 0, 3, 0, 0, 0, 0, 1, 0, 0]);
  single.resolve();
});

test("a single message that the database does not take back ends the lane, and leaves with the next one", async () => {
  const answer = Promise.withResolvers<void>();
  const it = await arrange({
    people: 1,
    answer: async ({ messageId }) => {
      await answer.promise;
      return { kind: "accepted", providerId: messageId, at: Date.now() };
    },
  });
  await it.run();
  await it.until(() => it.phone.frames.length === 1);
  const { id } = await enqueue(it.owner, {
    connectionId: it.connectionId,
    to: { phone: "5511988887777" },
    text: "avulsa",
    attachmentId: null,
    idempotencyKey: null,
    origin: "chat",
  });
  const [lane] = open;
  lane?.wakeForDirect();
  const state = async () => (await readOutbox(it.owner, id))?.state;
  await it.until(async () => (await state()) === "sending");
  await unhurried(db, async (tx) => {
    await sql`select from outbox where id = ${id} for update`.execute(tx);
    it.phone.setOpen(false);
    await untilWaiting(db);
    await sql`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`.execute(db);
    await it.until(() => it.ended.mock.calls.length === 1);
  });
  answer.resolve();
  await lane?.close(1_000);
  it.phone.setOpen(true);
  await it.run();
  await it.until(async () => (await state()) === "sent");
  expect(it.phone.frames.filter(({ text }) => text === "avulsa")).toHaveLength(1);
});
