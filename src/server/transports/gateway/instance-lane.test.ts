import { sql } from "kysely";
import { afterAll, afterEach, beforeEach, expect, test, vi } from "vitest";
import { type Evolution, startEvolution } from "../../../../simulators/evolution/evolution.ts";
import { madeThere } from "../../../../tests/support/calls-there.ts";
import { testDatabase, testLog } from "../../../../tests/support/database.ts";
import { makeAccount, makeCampaign, makeConnection, readLedger } from "../../../../tests/support/sending.ts";
import { DELIVERY } from "../../../domain/delivery.ts";
import { systemClock } from "../../base/clock.ts";
import { findOutgoing } from "../../files/repo.ts";
import { FairQueues } from "../../jobs/fair-queue.ts";
import { readPrivateHosts } from "../../net/addresses.ts";
import { openGuardedFetch } from "../../net/guarded-fetch.ts";
import { pokeLane, wakeLane } from "../../sending/ledger/signals.ts";
import { LANE_TIMES } from "../../sending/ledger/timing.ts";
import { type Lanes, openLanes } from "../../sending/ownership/lanes.ts";
import type { OpenTransport } from "../transport.ts";
import { openInstance } from "./instance.ts";

const { db, database } = await testDatabase();
const guardedFetch = openGuardedFetch({ privateHosts: readPrivateHosts("127.0.0.1") });
afterAll(() => guardedFetch.close());

const noDevices: OpenTransport = () => Promise.reject(new Error("no devices here"));
let gateway: Evolution;
let lanes: Lanes;
let connectionId = 0;
let accountId = "";

beforeEach(async () => {
  gateway = await startEvolution();
  await madeThere(gateway, "a", { token: "token-of-a", qrcode: true });
  await gateway.world.scan("a", { phone: "5511900000001" });
  accountId = await makeAccount(db);
  connectionId = await makeConnection(db, accountId, "instance");
  const access = {
    baseUrl: gateway.url,
    apiKey: "token-of-a",
    name: "a",
    integration: "WHATSAPP-BAILEYS",
    number: null,
  };
  lanes = await openLanes({
    readFile: findOutgoing,
    queues: new FairQueues(systemClock),
    database,
    clock: systemClock,
    random: Math.random,
    log: testLog,
    resend: "same-id",
    open: {
      device: noDevices,
      instance: openInstance({
        db,
        guardedFetch,
        clock: systemClock,
        random: Math.random,
        log: testLog,
        access: async () => access,
        noteProfile: async () => undefined,
        timing: { sendMs: 1_000, pokeMs: 20, busyMs: 100, backoffMs: [50, 100] },
      }),
    },
    messages: async () => undefined,
    times: {
      ...LANE_TIMES,
      aside: 100,
      backoff: [100],
      look: 100,
      search: [50, 100, 200],
      retry: [10, 20],
      reconcile: 20_000,
    },
    messageKey: Buffer.alloc(32, 7),
    mark: () => undefined,
  });
});
afterEach(async () => {
  await lanes.close(1_000);
  await gateway.close();
  await sql`delete from connection`.execute(db);
});

const connection = async () =>
  (
    await sql<{ state: string; cause: string | null; pairing: string | null; owner: string | null }>`
      select state, state_reason as cause, pairing, owner from connection where id = ${connectionId}`.execute(
      db,
    )
  ).rows[0];

test("a campaign goes out over an instance: each person once, and every doubt found again", async () => {
  const people = 40;
  gateway.world.faults.rate({
    seed: 5,
    acceptThenReset: 0.1,
    acceptThenError: 0.05,
    withoutId: 0.05,
    halfJson: 0.05,
    tooMany: 0.05,
    connectionClosed: 0.05,
    retryAfterSeconds: 0,
  });
  const campaignId = await makeCampaign(db, accountId, {
    people,
    connectionId,
    firstPhone: 5_511_960_000_000,
  });
  await vi.waitFor(
    async () => expect((await readLedger(db, campaignId)).rows[DELIVERY.accepted]).toBe(people),
    { timeout: 60_000, interval: 200 },
  );
  expect(await readLedger(db, campaignId)).toMatchObject({ status: "sending" });
  const reached = gateway.world.accepted.map(({ phone }) => phone);
  expect([reached.length, new Set(reached).size]).toEqual([people, people]);
  expect(gateway.world.faults.log.length).toBeGreaterThan(5);
});

test("a pause that its gateway asks for is said of the connection for as long as it lasts", async () => {
  gateway.world.faults.next("sendText", "tooMany", { retryAfterSeconds: 3_600 });
  await makeCampaign(db, accountId, { people: 1, connectionId, firstPhone: 5_511_960_000_000 });
  await vi.waitFor(
    async () => expect(await connection()).toMatchObject({ state: "connected", cause: "rate_limited" }),
    60_000,
  );
});

test("a poke brings the truth of the gateway, and its wake nothing", async () => {
  await vi.waitFor(
    async () => expect((await connection())?.pairing).toBe("5511900000001@s.whatsapp.net"),
    60_000,
  );
  gateway.world.removeDevice("a");
  await wakeLane(db, connectionId);
  await pokeLane(db, connectionId);
  await vi.waitFor(
    async () => expect(await connection()).toMatchObject({ state: "disconnected", cause: "logged_out" }),
    60_000,
  );
});

test("disconnecting ends the session there, and is not said to before the gateway confirms it; removing deletes the instance there", async () => {
  await vi.waitFor(() => expect(lanes.count().connected).toBe(1), 60_000);
  await gateway.world.goDown();
  await sql`update connection set desired = 'disconnected' where id = ${connectionId}`.execute(db);
  await vi.waitFor(
    async () => expect(await connection()).toMatchObject({ state: "connecting", cause: "ending" }),
    60_000,
  );
  expect(gateway.world.state("a")).toBe("open");
  await gateway.world.comeBack();
  await vi.waitFor(async () => expect((await connection())?.owner).toBeNull(), 60_000);
  await wakeLane(db, connectionId);
  await vi.waitFor(() => expect(gateway.world.state("a")).toBe("close"), 60_000);
  await vi.waitFor(
    async () =>
      expect(await connection()).toMatchObject({ state: "disconnected", cause: "disconnected_by_user" }),
    60_000,
  );
  await sql`update connection set desired = 'removed' where id = ${connectionId}`.execute(db);
  await vi.waitFor(async () => expect(await connection()).toBeUndefined(), 60_000);
  await vi.waitFor(() => expect(gateway.world.instances()).toEqual([]), 60_000);
});
