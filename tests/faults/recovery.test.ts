import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { quietSignal } from "../../simulators/whatsapp/quiet-signal.ts";
import { testDatabase } from "../support/database.ts";
import { runDatabasePlan } from "./database-run.ts";
import type { Outcome } from "./outcome.ts";
import type { Trouble } from "./wires-plan.ts";
import { openWiredWorld, runWires, type WiredWorld } from "./wires-run.ts";
import { openWorld } from "./world.ts";

const { url } = await testDatabase();
beforeAll(() => quietSignal());

const noHarm = {
  duplicated: 0,
  lost: 0,
  wronged: 0,
  withoutState: 0,
} satisfies Partial<Outcome>;

test("F3 kills of PostgreSQL, a backend, then everything during a campaign lose nothing acknowledged and duplicate nothing", async () => {
  const world = await openWorld();
  try {
    const kills = (["server", "backend", "everything"] as const).map((victim) => ({ victim, afterMs: 300 }));
    const outcome = await runDatabasePlan(world, 1, { index: 0, people: 60, kills });
    expect(outcome).toMatchObject({ ...noHarm, people: 60, commitsLost: 0, databaseKills: 3 });
    expect(outcome.committed).toBeGreaterThan(10);
    expect(outcome.fromDeathMs.length + outcome.fromDatabaseMs.length).toBe(3);
  } finally {
    await world.close();
  }
});

describe("wires", () => {
  let world: WiredWorld;
  beforeAll(async () => {
    world = await openWiredWorld(url);
  });
  afterAll(() => world?.close());

  const trouble = (wire: string, kind: Trouble["kind"], forMs: number): Trouble => ({
    wire,
    kind,
    forMs,
    way: "back",
    bytes: 700,
    afterMs: 200,
  });
  test.each<[string, number, Trouble]>([
    ["F5 the database falls silent without a reset", 0, trouble("database", "lost both ways", 3_000)],
    ["F6 the database is away for a while", 1, trouble("database", "refused", 4_000)],
    [
      "F4 connections to the database break after some bytes",
      2,
      trouble("database", "reset after bytes", 1_500),
    ],
    ["F16 WhatsApp falls silent without a reset", 3, trouble("whatsapp", "lost both ways", 1_500)],
  ])("%s during a campaign: it goes on by itself, no duplicates, no losses", async (_, index, one) => {
    const outcome = await runWires(world, 1, { index, people: 50, troubles: [one] });
    expect(outcome).toMatchObject({ ...noHarm, people: 50, sent: 50, uncertain: 0 });
    if (one.kind === "refused") expect(outcome.fromDatabaseMs).toHaveLength(1);
  });
});
