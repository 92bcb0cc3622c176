import { expect, test } from "vitest";
import { testDatabase } from "../../../tests/support/database.ts";
import { manualClock } from "../../../tests/support/manual-clock.ts";
import { laneLeases } from "./leases.ts";

const { db } = await testDatabase();

test("an answer about a lease that was overtaken by a later one takes nothing of it back", () => {
  const clock = manualClock();
  const worker = { id: "00000000-0000-0000-0000-000000000002", kinds: ["device"], dataFolder: null };
  const leases = laneLeases(db, worker, clock);
  clock.advance(2_000);
  leases.taken(7, 2, 2_000);
  leases.taken(7, 2, 0);
  leases.taken(7, 1, 2_000);
  clock.advance(3_999);
  expect([leases.mayAct(7, 2), leases.mayAct(7, 1)]).toEqual([true, false]);
  // Two seconds before it ends nobody acts on it any more.
  clock.advance(1);
  expect(leases.mayAct(7, 2)).toBe(false);
});
