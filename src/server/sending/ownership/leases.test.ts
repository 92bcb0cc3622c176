import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import { expect, test } from "vitest";
import { testDatabase } from "../../../../tests/support/database.ts";
import { manualClock } from "../../../../tests/support/manual-clock.ts";
import { makeAccount, makeConnection } from "../../../../tests/support/sending.ts";
import { acquireConnection } from "./acquire.ts";
import { laneLeases } from "./leases.ts";

const { db } = await testDatabase();

async function arrange() {
  const clock = manualClock();
  const worker = { id: randomUUID(), kinds: ["device"], dataFolder: null };
  const connectionId = await makeConnection(db, await makeAccount(db));
  return { clock, worker, connectionId, leases: laneLeases(db, worker, clock) };
}

test("a lease is acted on until two seconds before it ends, counted from before the renewal was asked for", async () => {
  const { clock, worker, connectionId, leases } = await arrange();
  await leases.renew();
  const fence = (await acquireConnection(db, connectionId, worker.id, "resend"))?.fence ?? 0;
  await leases.renew();
  clock.advance(3_999);
  expect([leases.mayAct(connectionId, fence), leases.mayAct(connectionId, fence - 1)]).toEqual([true, false]);
  clock.advance(1);
  expect(leases.mayAct(connectionId, fence)).toBe(false);
});

test("what is taken over is owned as long as the lease that lasted then, whatever was renewed since", async () => {
  const { clock, connectionId, leases } = await arrange();
  leases.taken(connectionId, 1, leases.renewedAt());
  expect(leases.mayAct(connectionId, 1)).toBe(false);
  await leases.renew();
  const renewedAt = leases.renewedAt();
  clock.advance(3_000);
  await leases.renew();
  leases.taken(connectionId, 2, renewedAt);
  expect(leases.mayAct(connectionId, 2)).toBe(true);
  clock.advance(1_000);
  expect(leases.mayAct(connectionId, 2)).toBe(false);
});

test("an answer about a lease that was overtaken by a later one takes nothing of it back", async () => {
  const { clock, connectionId, leases } = await arrange();
  await leases.renew();
  clock.advance(2_000);
  leases.taken(connectionId, 2, clock.monotonic());
  leases.taken(connectionId, 2, leases.renewedAt());
  leases.taken(connectionId, 1, clock.monotonic());
  clock.advance(3_999);
  expect([leases.mayAct(connectionId, 2), leases.mayAct(connectionId, 1)]).toEqual([true, false]);
});

test("a renewal says nothing about a connection that another process has taken", async () => {
  const { clock, worker, connectionId, leases } = await arrange();
  await leases.renew();
  const fence = (await acquireConnection(db, connectionId, worker.id, "resend"))?.fence ?? 0;
  await leases.renew();
  await sql`update connection set owner = ${randomUUID()}::uuid, fence = fence + 1 where id = ${connectionId}`.execute(
    db,
  );
  clock.advance(3_000);
  await leases.renew();
  clock.advance(1_000);
  expect(leases.mayAct(connectionId, fence)).toBe(false);
});
