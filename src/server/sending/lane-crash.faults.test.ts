import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import { expect, test } from "vitest";
import { testDatabase } from "../../../tests/support/database.ts";
import { laneLab } from "../../../tests/support/lane-lab.ts";
import { DELIVERY } from "../../domain/delivery.ts";
import { enqueue } from "./outbox.ts";
import { takeOver } from "./take-over.ts";

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
    ...{ connectionId: it.connectionId, to: { phone: "5511988887777" }, text: "avulsa", imageId: null },
    ...{ idempotencyKey: null, origin: "chat" },
  });
  for (const lane of open) lane.single();
  const handedOut = async () =>
    (await sql`select from outbox where id = ${id} and status = ${DELIVERY.sending}`.execute(db)).rows
      .length > 0;
  await it.until(handedOut);
  first.resolve();
  // Recorded while nobody of the campaign is on the wire: the others in hand wait for the single message.
  await it.until(async () => (await it.ledger()).rows[DELIVERY.sent] === 1);
  expect((await it.ledger()).rows[DELIVERY.sending]).toBe(3);
  await sql`update connection set lease_until = now() - interval '1 second' where id = ${it.connectionId}`.execute(
    db,
  );
  await takeOver(db, it.connectionId, randomUUID(), "resend");
  expect((await it.ledger()).rows).toEqual([4, 0, 3, 0, 0, 0, 1, 0, 0]);
  single.resolve();
});
