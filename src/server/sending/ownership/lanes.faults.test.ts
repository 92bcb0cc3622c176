import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { sql } from "kysely";
import { afterEach, expect, onTestFinished, test, vi } from "vitest";
import { testDatabase, testLog } from "../../../../tests/support/database.ts";
import { databaseTarget, databaseThrough, openFaultProxy } from "../../../../tests/support/fault-proxy.ts";
import { takenByAnother } from "../../../../tests/support/held-lanes.ts";
import { laneProcesses } from "../../../../tests/support/lane-process.ts";
import { makeAccount, makeCampaign, makeConnection, readLedger } from "../../../../tests/support/sending.ts";
import { DELIVERY } from "../../../domain/delivery.ts";
import { openDatabase } from "../../db/client.ts";
import { ownerOf } from "../../db/owner.ts";
import type { Outcome } from "../../transports/transport.ts";
import { cancelCampaign, resumeCampaign } from "../campaigns/campaign-status.ts";
import { sweepCancelled } from "../campaigns/campaign-sweeps.ts";
import { actOnDelivery } from "../doubts/delivery-actions.ts";
import { wakeLane } from "../ledger/signals.ts";

const { db, database } = await testDatabase();
// Processes end first, since they hold row locks.
afterEach(async () => {
  await sql`delete from connection`.execute(db);
});
const startProcess = laneProcesses({ database });

const PATIENCE = { timeout: 60_000, interval: 20 };

const ownerOfRow = async (id: number) =>
  (await sql<{ owner: string | null }>`select owner from connection where id = ${id}`.execute(db)).rows[0]
    ?.owner;

async function midway(accountId: string, connectionId: number): Promise<number> {
  const campaignId = await makeCampaign(db, accountId, { people: 4, connectionId, status: "draft" });
  await sql`insert into delivery (campaign_id, seq, phone, name, status, ambiguous, fence)
    select ${campaignId}, seq, 5511900000000 + seq, 'P', status, seq = 1, 0
    from (values (0, 1), (1, 2), (2, 2), (3, 0)) as t(seq, status)`.execute(db);
  await sql`update campaign set status = 'paused', pause_reason = 'user', total = 4, cursor = 3, sending_count = 1, waiting_count = 2, pending_count = 1,
    started_at = now(), connection_name = 'Matriz' where id = ${campaignId}`.execute(db);
  return campaignId;
}

const swept = (campaignId: number, rows: number[]) =>
  vi.waitFor(async () => {
    await sweepCancelled(db);
    const ledger = await readLedger(db, campaignId);
    expect(ledger.rows).toEqual(rows);
    expect(ledger.rows).toEqual(ledger.counters);
  }, PATIENCE);

async function onTheWire(accountId: string, connectionId: number): Promise<number> {
  const campaignId = await midway(accountId, connectionId);
  await sql`update delivery set fence = (select fence from connection where id = ${connectionId})
    where campaign_id = ${campaignId} and status = 1`.execute(db);
  return campaignId;
}

test("F6 a connection that could not be given up while the database was away is taken again", async () => {
  const accountId = await makeAccount(db);
  const first = await makeConnection(db, accountId);
  const it = await startProcess();
  await vi.waitFor(() => expect(it.lanes.count().owned).toBe(1), PATIENCE);
  const second = await makeConnection(db, accountId);
  await sql`update connection set fence = 7, owner = ${await ownerOfRow(first)}::uuid
    where id = ${second}`.execute(db);
  await vi.waitFor(() => expect(it.calls).toContain(`connect ${second}`), PATIENCE);
});

test("F6 after a database outage people claimed but not written to are not in doubt", async () => {
  const accountId = await makeAccount(db);
  const connectionId = await makeConnection(db, accountId);
  const campaignId = await makeCampaign(db, accountId, { people: 8, connectionId });
  const wire = await openFaultProxy(databaseTarget(database.url));
  const through = openDatabase(databaseThrough(database.url, wire.port), { log: testLog });
  onTestFinished(async () => {
    await through.close();
    await wire.close();
  });
  let away = false;
  const closing = Promise.withResolvers<void>();
  const it = await startProcess({
    database: through,
    resend: "never",
    answer: async ({ messageId }) => {
      if (it.phone.frames.length === 1) {
        away = true;
        wire.refuse();
        wire.cut();
      } else if (away) {
        await closing.promise;
        return { kind: "stop", cause: "not_connected", retryAt: null };
      }
      return { kind: "accepted", providerId: messageId, at: Date.now() };
    },
    // Under load its lease may end before anyone is claimed, too.
    device: () => ({
      close: async () => {
        if (away) closing.resolve();
      },
    }),
  });
  await closing.promise;
  const former = it.hosts.get(connectionId);
  await vi.waitFor(() => expect(former?.mayAct()).toBe(false), PATIENCE);
  expect((await readLedger(db, campaignId)).rows).toEqual([4, 4, 0, 0, 0, 0, 0, 0, 0, 0]);
  away = false;
  wire.heal();
  await vi.waitFor(async () => expect((await readLedger(db, campaignId)).status).toBe("ended"), PATIENCE);
  const ledger = await readLedger(db, campaignId);
  expect(ledger.rows).toEqual([0, 0, 0, 0, 0, 0, 0, 8, 0, 0]);
  expect(ledger.rows).toEqual(ledger.counters);
  expect([...it.phone.held().values()].map((messages) => messages.length)).toEqual(Array(8).fill(1));
});

test("F38 who renews some leases does not act on a connection that another process took", async () => {
  const accountId = await makeAccount(db);
  const ids = [
    await makeConnection(db, accountId),
    await makeConnection(db, accountId),
    await makeConnection(db, accountId),
  ];
  const ended = Promise.withResolvers<void>();
  const it = await startProcess({ device: () => ({ close: () => ended.promise }) });
  await vi.waitFor(() => expect(it.lanes.count().owned).toBe(3), PATIENCE);
  const [kept = 0, ...stolen] = ids;
  await takenByAnother(db, stolen);
  await vi.waitFor(() => expect(it.lanes.count().owned).toBe(1), PATIENCE);
  await pause(4_200);
  for (const id of stolen) expect(it.hosts.get(id)?.mayAct()).toBe(false);
  await vi.waitFor(() => expect(it.hosts.get(kept)?.mayAct()).toBe(true), PATIENCE);
  ended.resolve();
});

test("who was asked about when another process took the connection is not written to", async () => {
  const accountId = await makeAccount(db);
  const connectionId = await makeConnection(db, accountId);
  const asked = Promise.withResolvers<void>();
  const it = await startProcess({
    device: () => ({
      lookup: async (phone) => {
        await asked.promise;
        return { kind: "found", address: { jid: `${phone}@s.whatsapp.net`, lid: null } };
      },
    }),
  });
  const campaignId = await makeCampaign(db, accountId, { people: 1, connectionId });
  await vi.waitFor(async () => expect((await readLedger(db, campaignId)).rows[1]).toBe(1), PATIENCE);
  await takenByAnother(db, [connectionId]);
  await vi.waitFor(() => expect(it.hosts.get(connectionId)?.mayAct()).toBe(false), PATIENCE);
  asked.resolve();
  await vi.waitFor(async () => {
    const { rows } = await sql`select from campaign_alias where campaign_id = ${campaignId}`.execute(db);
    expect(rows).toHaveLength(1);
  }, PATIENCE);
  await it.lanes.close(1_000);
  expect(it.phone.frames).toEqual([]);
});

test("answers after another process acquired the connection are recorded", async () => {
  const accountId = await makeAccount(db);
  const connectionId = await makeConnection(db, accountId);
  const campaignId = await makeCampaign(db, accountId, { people: 1, connectionId });
  const answer = Promise.withResolvers<Outcome>();
  const it = await startProcess({ answer: () => answer.promise });
  await vi.waitFor(() => expect(it.phone.frames).toHaveLength(1), PATIENCE);
  await takenByAnother(db, [connectionId]);
  answer.resolve({ kind: "accepted", providerId: "x", at: Date.now() });
  await vi.waitFor(
    async () => expect((await readLedger(db, campaignId)).rows[DELIVERY.sent]).toBe(1),
    PATIENCE,
  );
});

test("a session that is slow to end holds up no other connection", async () => {
  const accountId = await makeAccount(db);
  const slow = await makeConnection(db, accountId);
  const other = await makeConnection(db, accountId);
  const ended = Promise.withResolvers<void>();
  const it = await startProcess({ device: () => ({ logout: () => ended.promise }) });
  await vi.waitFor(() => expect(it.lanes.count().owned).toBe(2), PATIENCE);
  await sql`update connection set desired = 'disconnected' where id = ${slow}`.execute(db);
  await pause(5_200);
  await vi.waitFor(() => expect(it.hosts.get(other)?.mayAct()).toBe(true), PATIENCE);
  const third = await makeConnection(db, accountId);
  await vi.waitFor(() => expect(it.calls).toContain(`connect ${third}`), PATIENCE);
  ended.resolve();
});

test("a session that is slow to begin holds up no other connection", async () => {
  const accountId = await makeAccount(db);
  const other = await makeConnection(db, accountId);
  const begun = Promise.withResolvers<object>();
  const beginning: number[] = [];
  const it = await startProcess({
    device: ({ connectionId }) => {
      if (connectionId === other) return {};
      beginning.push(connectionId);
      return begun.promise;
    },
  });
  await vi.waitFor(() => expect(it.lanes.count().owned).toBe(1), PATIENCE);
  const slow = await makeConnection(db, accountId);
  await vi.waitFor(() => expect(beginning).toEqual([slow]), PATIENCE);
  await pause(5_200);
  await vi
    .waitFor(() => expect(it.hosts.get(other)?.mayAct()).toBe(true), PATIENCE)
    .finally(() => begun.resolve({}));
});

test("a connection that failed to open is retried at once on a user's request", async () => {
  const accountId = await makeAccount(db);
  const connectionId = await makeConnection(db, accountId);
  const tried: number[] = [];
  const it = await startProcess({
    device: () => {
      tried.push(performance.now());
      if (tried.length === 1) throw new Error("sealed with another key");
      return {};
    },
  });
  await vi.waitFor(
    async () => expect([tried.length, await ownerOfRow(connectionId)]).toEqual([1, null]),
    PATIENCE,
  );
  await wakeLane(db, connectionId);
  await vi.waitFor(() => expect(it.calls).toContain(`connect ${connectionId}`), PATIENCE);
  const [first = 0, second = 0] = tried;
  expect(second - first).toBeLessThan(30_000);
});

test("unreadable credentials do not keep other connections from opening", async () => {
  const accountId = await makeAccount(db);
  const bad = await makeConnection(db, accountId);
  const good = await makeConnection(db, accountId);
  await startProcess({
    device: ({ connectionId }) => {
      if (connectionId === bad) throw new Error("sealed with another key");
      return {};
    },
  });
  const campaignId = await makeCampaign(db, accountId, { people: 5, connectionId: good });
  await vi.waitFor(async () => expect((await readLedger(db, campaignId)).status).toBe("ended"), PATIENCE);
  await vi.waitFor(async () => expect(await ownerOfRow(bad)).toBeNull(), PATIENCE);
});

test("a session ended with a message in flight leaves none in flight", async () => {
  const accountId = await makeAccount(db);
  const connectionId = await makeConnection(db, accountId);
  const it = await startProcess();
  await vi.waitFor(() => expect(it.lanes.count().owned).toBe(1), PATIENCE);
  const campaignId = await onTheWire(accountId, connectionId);
  await sql`update connection set desired = 'disconnected', state = 'disconnected'`.execute(db);
  await vi.waitFor(async () => expect(await ownerOfRow(connectionId)).toBeNull(), PATIENCE);
  expect((await readLedger(db, campaignId)).rows).toEqual([1, 0, 3, 0, 0, 0, 0, 0, 0, 0]);
  await cancelCampaign(ownerOf(db, accountId), campaignId);
  await swept(campaignId, [0, 0, 0, 2, 2, 0, 0, 0, 0, 0]);
});

test("a process that died between ending a session and its release leaves no message in flight", async () => {
  const accountId = await makeAccount(db);
  const connectionId = await makeConnection(db, accountId);
  const campaignId = await midway(accountId, connectionId);
  await sql`update connection set desired = 'disconnected', state = 'disconnected', owner = ${randomUUID()}::uuid,
    fence = 3`.execute(db);
  await startProcess();
  await vi.waitFor(
    async () => expect((await readLedger(db, campaignId)).rows).toEqual([1, 0, 3, 0, 0, 0, 0, 0, 0, 0]),
    PATIENCE,
  );
  await vi.waitFor(async () => expect(await ownerOfRow(connectionId)).toBeNull(), PATIENCE);
});

test("a removed connection leaves its doubts to humans and its campaigns paused with their cause", async () => {
  const accountId = await makeAccount(db);
  const owner = ownerOf(db, accountId);
  const connectionId = await makeConnection(db, accountId);
  const it = await startProcess();
  await vi.waitFor(() => expect(it.lanes.count().owned).toBe(1), PATIENCE);
  const campaignId = await onTheWire(accountId, connectionId);
  it.phone.setOpen(false);
  await sql`with resumed as (update campaign set status = 'sending', pause_reason = null where id = ${campaignId})
    update connection set desired = 'removed'`.execute(db);
  await vi.waitFor(async () => expect(await ownerOfRow(connectionId)).toBeUndefined(), PATIENCE);
  const ledger = await readLedger(db, campaignId);
  expect(ledger).toMatchObject({ status: "paused", cause: "connection_removed" });
  expect(ledger.rows).toEqual([1, 0, 1, 0, 2, 0, 0, 0, 0, 0]);
  expect(ledger.rows).toEqual(ledger.counters);
  await expect(resumeCampaign(owner, campaignId)).rejects.toMatchObject({
    code: "campaign_connection_required",
  });
  await expect(actOnDelivery(owner, campaignId, 1, "resend")).rejects.toMatchObject({
    code: "campaign_wrong_state",
  });
  await cancelCampaign(owner, campaignId);
  await swept(campaignId, [0, 0, 0, 2, 2, 0, 0, 0, 0, 0]);
});

test("an acknowledgement that comes while the socket is being closed still counts", async () => {
  const accountId = await makeAccount(db);
  const connectionId = await makeConnection(db, accountId);
  let acknowledge: (outcome: Outcome) => void = () => {};
  const it = await startProcess({
    answer: () =>
      new Promise((resolve) => {
        acknowledge = resolve;
      }),
    device: () => ({
      close: async () => acknowledge({ kind: "accepted", providerId: "x", at: Date.now() }),
    }),
  });
  const campaignId = await makeCampaign(db, accountId, { people: 1, connectionId });
  await vi.waitFor(() => expect(it.phone.frames).toHaveLength(1), PATIENCE);
  await it.lanes.close(50);
  expect((await readLedger(db, campaignId)).rows[DELIVERY.sent]).toBe(1);
});

test("a stale complaint about a lost ownership does not end the lane that came after it", async () => {
  const accountId = await makeAccount(db);
  const connectionId = await makeConnection(db, accountId);
  const it = await startProcess();
  await vi.waitFor(() => expect(it.lanes.count().owned).toBe(1), PATIENCE);
  const former = it.hosts.get(connectionId);
  await sql`update connection set fence = fence + 1`.execute(db);
  await vi.waitFor(() => expect(it.hosts.get(connectionId)).not.toBe(former), PATIENCE);
  await vi.waitFor(() => expect(it.lanes.count().owned).toBe(1), PATIENCE);
  const closed = it.calls.filter((one) => one.startsWith("close")).length;
  expect(await former?.report({ state: "disconnected", cause: "logged_out" })).toBe(false);
  const { rows } =
    await sql`select state, state_reason as cause from connection where id = ${connectionId}`.execute(db);
  expect(rows).toEqual([{ state: "connected", cause: null }]);
  former?.lost();
  await pause(300);
  expect(it.calls.filter((one) => one.startsWith("close"))).toHaveLength(closed);
});

test("a newly paired device resends no doubt before the ledger knows the new pairing", async () => {
  const accountId = await makeAccount(db);
  const connectionId = await makeConnection(db, accountId);
  await sql`update connection set pairing = 'former' where id = ${connectionId}`.execute(db);
  const campaignId = await midway(accountId, connectionId);
  await sql`update delivery set status = 7 where campaign_id = ${campaignId} and seq <> 1`.execute(db);
  await sql`update campaign set status = 'sending', pause_reason = null, cursor = 4, sending_count = 0, waiting_count = 1, pending_count = 0, sent_count = 3
    where id = ${campaignId}`.execute(db);
  const it = await startProcess();
  await vi.waitFor(() => expect(it.lanes.count().owned).toBe(1), PATIENCE);
  await pause(1_200);
  expect(it.phone.frames).toEqual([]);
  await it.hosts.get(connectionId)?.report({ state: "connected", pairing: "pairing-1" });
  const ledger = await readLedger(db, campaignId);
  expect(ledger).toMatchObject({ status: "ended", rows: [0, 0, 0, 0, 1, 0, 0, 3, 0, 0] });
  expect(it.phone.frames).toEqual([]);
});
