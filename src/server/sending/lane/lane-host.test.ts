import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import { expect, test } from "vitest";
import { testDatabase, testLog } from "../../../../tests/support/database.ts";
import { makeAccount, makeConnection } from "../../../../tests/support/sending.ts";
import { recommendedPlan } from "../../../domain/number-plan.ts";
import { systemClock } from "../../base/clock.ts";
import { acquireConnection } from "../ownership/acquire.ts";
import { LaneConnection } from "./lane-host.ts";

const { db } = await testDatabase();

test("a number linked for the first time begins with the recommended plan, one linked before keeps what it has", async () => {
  const link = async (former: string | null, plansNewNumbers: boolean) => {
    const connectionId = await makeConnection(db, await makeAccount(db));
    await sql`update connection set pairing = ${former} where id = ${connectionId}`.execute(db);
    const taken = await acquireConnection(db, connectionId, randomUUID(), "resend");
    if (!taken) throw new Error("not taken over");
    const host = new LaneConnection({
      db,
      taken,
      plansNewNumbers,
      // Saturday in Brazil, Sunday in UTC.
      clock: { now: () => new Date("2026-11-29T01:00:00Z") },
      log: testLog,
      messageKey: Buffer.alloc(32),
      messages: async () => undefined,
      mayAct: () => true,
      lost: () => undefined,
      mark: () => undefined,
    });
    await host.report({ state: "connected", pairing: "5511900000001:1@s.whatsapp.net" });
    await host.report({ state: "connected", pairing: "5511900000001:2@s.whatsapp.net" });
    const { rows } = await sql<{ plan: unknown }>`select plan from number_plan
      where connection_id = ${connectionId}`.execute(db);
    return rows.map(({ plan }) => plan);
  };
  expect(await link(null, true)).toEqual([recommendedPlan("2026-11-28")]);
  expect(await link("5511900000001:0@s.whatsapp.net", true)).toEqual([]);
  expect(await link(null, false)).toEqual([]);
});

test("a quota is stored by the connection's owner alone, stays when a report says nothing of it, and is forgotten by null", async () => {
  const connectionId = await makeConnection(db, await makeAccount(db));
  const open = async () => {
    const taken = await acquireConnection(db, connectionId, randomUUID(), "resend");
    if (!taken) throw new Error("not taken over");
    return new LaneConnection({
      db,
      taken,
      clock: systemClock,
      log: testLog,
      messageKey: Buffer.alloc(32),
      messages: async () => undefined,
      mayAct: () => true,
      lost: () => undefined,
      mark: () => undefined,
    });
  };
  const stored = async () => {
    const { rows } = await sql<{ read: unknown }>`select new_chats as read from connection
      where id = ${connectionId}`.execute(db);
    return rows[0]?.read;
  };
  const quota = {
    total: 100,
    used: 63,
    capped: false,
    until: "2026-12-14T03:00:00.000Z",
    readAt: "2026-12-01T12:00:00.000Z",
  };
  const former = await open();
  expect(await former.report({ state: "connected", newChats: quota })).toBe(true);
  expect(await stored()).toEqual(quota);
  await former.report({ state: "connected", cause: "timelocked" });
  expect(await stored()).toEqual(quota);
  await sql`update connection set owner = null where id = ${connectionId}`.execute(db);
  const current = await open();
  expect(await former.report({ state: "connected", newChats: null })).toBe(false);
  expect(await stored()).toEqual(quota);
  await current.report({ state: "connected", newChats: null });
  expect(await stored()).toBeNull();
});
