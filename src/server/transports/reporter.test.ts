import { sql } from "kysely";
import { expect, test } from "vitest";
import { testDatabase, testLog } from "../../../tests/support/database.ts";
import { makeAccount, makeConnection } from "../../../tests/support/sending.ts";
import { systemClock } from "../base/clock.ts";
import { LaneConnection } from "../sending/lane/lane-host.ts";
import { acquireConnection } from "../sending/ownership/acquire.ts";
import { Reporter } from "./reporter.ts";
import type { StateReport } from "./transport.ts";

const { db, database } = await testDatabase();

const report = (sketch: Partial<StateReport>): StateReport => ({
  state: "connecting",
  cause: null,
  causeUntil: null,
  qr: null,
  pairingCode: null,
  pairing: null,
  ...sketch,
});

test("what a gateway says and no database can hold is let go, and the next word is stored", async () => {
  const connectionId = await makeConnection(db, await makeAccount(db), "instance");
  const owner = "6f1c2f0e-0000-4000-8000-000000000000";
  const taken = await acquireConnection(db, connectionId, owner, "resend");
  if (!taken) throw new Error("not taken over");
  const host = new LaneConnection({
    db,
    database,
    clock: systemClock,
    log: testLog,
    taken,
    mayAct: () => true,
    lost: () => undefined,
    mark: () => undefined,
    messageKey: Buffer.alloc(32),
    messages: async () => undefined,
  } as unknown as ConstructorParameters<typeof LaneConnection>[0]);
  const reporter = new Reporter(host, testLog, () => undefined);
  reporter.say(report({ state: "connected", pairing: "5511987654321\0@s.whatsapp.net" }));
  // A pending flush (a person's connect request) would otherwise never end.
  await reporter.flush();
  reporter.say(report({ state: "disconnected", cause: "logged_out" }));
  await reporter.flush();
  const { rows } =
    await sql`select state, state_reason as cause from connection where id = ${connectionId}`.execute(db);
  expect(rows).toEqual([{ state: "disconnected", cause: "logged_out" }]);
});

test("what was said while an earlier word could not be stored is what stands in the end", async () => {
  const stored: StateReport[] = [];
  let fails = 1;
  const host = {
    report: async (one: StateReport) => {
      if (fails-- > 0) {
        reporter.say(report({ state: "disconnected", cause: "logged_out" }));
        throw new Error("the database is away");
      }
      return stored.push(one) > 0;
    },
  } as unknown as ConstructorParameters<typeof Reporter>[0];
  const reporter = new Reporter(host, testLog, () => undefined);
  reporter.say(report({ state: "connected" }));
  await reporter.flush();
  expect(stored).toMatchObject([{ state: "disconnected", cause: "logged_out" }]);
});
