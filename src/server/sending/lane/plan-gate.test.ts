import { sql } from "kysely";
import { expect, test } from "vitest";
import { testDatabase } from "../../../../tests/support/database.ts";
import { manualClock } from "../../../../tests/support/manual-clock.ts";
import { makeAccount, makeConnection, planNumber } from "../../../../tests/support/sending.ts";
import { unhurried, untilWaiting } from "../../../../tests/support/waiting.ts";
import { PlanGate } from "./plan-gate.ts";
import type { Recipient } from "./recipient.ts";

const { db, database } = await testDatabase();

const PERSON = {
  kind: "person",
  campaign: { id: 1 },
  person: { phone: "5511900000001", ambiguous: false, generation: 0 },
} as Recipient;

test("a look that ends while a message leaves does not make the lane forget the message", async () => {
  const connectionId = await makeConnection(db, await makeAccount(db));
  await planNumber(db, connectionId);
  await sql`update number_plan set plan = plan || '{"warmGapS": {"least": 8, "most": 25}}' where connection_id = ${connectionId}`.execute(
    db,
  );
  const clock = manualClock();
  const gate = new PlanGate({ connectionId, db, prepared: database.prepared, clock, random: () => 0 });
  await gate.look(true);
  expect(gate.dueIn()).toBeLessThanOrEqual(0);
  const taking = await unhurried(db, async (tx) => {
    await sql`lock table cold_message in exclusive mode`.execute(tx);
    const begun = gate.take(PERSON);
    await untilWaiting(db, 1, "insert into cold_message");
    await gate.look(true);
    return { begun };
  });
  await taking.begun;
  expect(gate.dueIn()).toBe(8_000);
});
