import { sql } from "kysely";
import { afterEach, expect, test, vi } from "vitest";
import { chatRow, messageRow } from "../../../../tests/support/chat-rows.ts";
import { testDatabase } from "../../../../tests/support/database.ts";
import { takenByAnother } from "../../../../tests/support/held-lanes.ts";
import { laneProcesses } from "../../../../tests/support/lane-process.ts";
import { noAssistant } from "../../../../tests/support/no-assistant.ts";
import { makeAccount, makeCampaign, makeConnection, readLedger } from "../../../../tests/support/sending.ts";
import { undoForTests } from "../../../../tests/support/undo.ts";
import { OPT_OUT_CONFIRMATION } from "../../../contract/error-messages.ts";
import { DELIVERY } from "../../../domain/delivery.ts";
import { hiddenNamer } from "../../chat/hidden.ts";
import { ownerOf } from "../../db/owner.ts";
import { optOutService } from "../../opt-outs/service.ts";
import { optOut } from "../campaigns/opt-out.ts";
import { readOutbox } from "../outbox/outbox.ts";
import { takeCodeWish } from "./acquire.ts";

const { db, database } = await testDatabase();
// Processes end first, since they hold row locks.
afterEach(async () => {
  await sql`delete from connection`.execute(db);
});
const startProcess = laneProcesses({ database });

const owners = async () =>
  (await sql<{ owner: string | null }>`select owner from connection order by id`.execute(db)).rows.map(
    (row) => row.owner,
  );

test("a process takes the connections that want an owner, connects them and sends their campaigns", async () => {
  const accountId = await makeAccount(db);
  const connectionId = await makeConnection(db, accountId);
  const it = await startProcess();
  const campaignId = await makeCampaign(db, accountId, { people: 50, connectionId });
  await vi.waitFor(async () => expect((await readLedger(db, campaignId)).status).toBe("ended"), 60_000);
  expect(it.calls).toContain(`connect ${connectionId}`);
  expect(it.phone.held().size).toBe(50);
  expect(it.lanes.count()).toEqual({ owned: 1, connected: 1 });
});

test("of two processes neither takes what the other owns, and every connection has an owner", async () => {
  const accountId = await makeAccount(db);
  for (let i = 0; i < 6; i++) await makeConnection(db, accountId);
  const first = await startProcess();
  await vi.waitFor(() => expect(first.lanes.count().owned).toBe(6), 60_000);
  const second = await startProcess();
  for (let i = 0; i < 4; i++) await makeConnection(db, accountId);
  await vi.waitFor(async () => expect((await owners()).every(Boolean)).toBe(true), 60_000);
  await vi.waitFor(() => expect(first.lanes.count().owned + second.lanes.count().owned).toBe(10), 60_000);
});

test("a clean stop gives the connections up at once", async () => {
  const accountId = await makeAccount(db);
  const connectionId = await makeConnection(db, accountId);
  const it = await startProcess();
  await vi.waitFor(() => expect(it.lanes.count().owned).toBe(1), 60_000);
  await it.lanes.close(1_000);
  expect(it.calls).toContain(`close ${connectionId}`);
  expect(await owners()).toEqual([null]);
});

test("who lost a connection to another process closes its channel and does not fight for it", async () => {
  const accountId = await makeAccount(db);
  const connectionId = await makeConnection(db, accountId);
  const it = await startProcess();
  await vi.waitFor(() => expect(it.lanes.count().owned).toBe(1), 60_000);
  const other = await takenByAnother(db, [connectionId]);
  await vi.waitFor(() => expect(it.calls).toContain(`close ${connectionId}`), 60_000);
  expect(await owners()).toEqual([other]);
});

test("an opt-out under a hidden address stops the message once a look-up finds the number", async () => {
  const accountId = await makeAccount(db);
  const connectionId = await makeConnection(db, accountId);
  const lids = ["70000000000081@lid", "70000000000082@lid"];
  for (const [nth, lid] of lids.entries()) {
    const chat = await chatRow(db, { account: accountId, connectionId, lid });
    await messageRow(db, chat, { text: nth === 0 ? "SAIR" : "Oi" });
  }
  const known = "70000000000083@lid";
  await messageRow(db, await chatRow(db, { account: accountId, connectionId, lid: known }), { text: "SAIR" });
  await sql`insert into wa_address (phone, jid, lid, checked_at)
    values (5511900000003, '5511900000003@s.whatsapp.net', ${known}, now())`.execute(db);
  const campaignId = await makeCampaign(db, accountId, {
    people: 4,
    firstPhone: 5_511_900_000_000,
    connectionId,
  });
  const changes = { mark: () => undefined };
  const optOut = optOutService({ changes, undo: undoForTests() }).replied;
  const it = await startProcess({
    lookup: (phone) => ({
      kind: "found",
      address: { jid: `${phone}@s.whatsapp.net`, lid: lids[Number(phone.at(-1))] ?? null },
    }),
    receipts: {
      record: async () => undefined,
      read: async () => undefined,
      hidden: hiddenNamer({ db, changes, assistant: noAssistant, optOut }),
    },
  });
  await vi.waitFor(async () => expect((await readLedger(db, campaignId)).status).toBe("ended"), 60_000);
  const { rows } =
    await sql`select right(d.phone::text, 1) as person, d.status, d.error, c.lid from delivery d
    left join chat c on c.connection_id = ${connectionId} and c.phone = d.phone
    where d.campaign_id = ${campaignId} order by d.seq`.execute(db);
  expect(rows).toEqual([
    { person: "0", status: DELIVERY.skipped, error: "opted_out", lid: lids[0] },
    { person: "1", status: DELIVERY.sent, error: null, lid: lids[1] },
    { person: "2", status: DELIVERY.sent, error: null, lid: null },
    { person: "3", status: DELIVERY.skipped, error: "opted_out", lid: known },
  ]);
  expect(it.phone.frames.filter(({ text }) => text !== OPT_OUT_CONFIRMATION)).toHaveLength(2);
});

test("disconnecting ends the session and keeps the connection; removing deletes it", async () => {
  const accountId = await makeAccount(db);
  const connectionId = await makeConnection(db, accountId);
  const it = await startProcess();
  await vi.waitFor(() => expect(it.calls).toContain(`connect ${connectionId}`), 60_000);
  await sql`update connection set desired = 'disconnected', state = 'disconnected'`.execute(db);
  await vi.waitFor(() => expect(it.calls).toContain(`logout ${connectionId}`), 60_000);
  await vi.waitFor(async () => expect(await owners()).toEqual([null]), 60_000);
  await sql`update connection set desired = 'removed'`.execute(db);
  await vi.waitFor(async () => expect(await owners()).toEqual([]), 60_000);
});

test("a connection wanted again while its session ends opens without a second request", async () => {
  const accountId = await makeAccount(db);
  const connectionId = await makeConnection(db, accountId);
  const it = await startProcess({
    device: (host) => ({
      logout: async () => {
        await sql`update connection set desired = 'connected' where id = ${connectionId}`.execute(db);
        await host.report({ state: "disconnected", cause: "disconnected_by_user" });
      },
    }),
  });
  const connects = () => it.calls.filter((one) => one === `connect ${connectionId}`).length;
  await vi.waitFor(() => expect(connects()).toBe(1), 60_000);
  await sql`update connection set desired = 'disconnected' where id = ${connectionId}`.execute(db);
  await vi.waitFor(() => expect(it.calls).toContain(`close ${connectionId}`), 60_000);
  await vi.waitFor(() => expect(connects()).toBeGreaterThan(1), 60_000);
  const { rows } =
    await sql`select state, state_reason as cause from connection where id = ${connectionId}`.execute(db);
  expect(rows).toEqual([{ state: "connecting", cause: null }]);
});

test("a pairing code that a page asks for is asked of the device once", async () => {
  const accountId = await makeAccount(db);
  const connectionId = await makeConnection(db, accountId);
  const it = await startProcess();
  await vi.waitFor(() => expect(it.lanes.count().owned).toBe(1), 60_000);
  await sql`update connection set pairing_code_wanted = true`.execute(db);
  await vi.waitFor(() => expect(it.calls).toContain(`code ${connectionId}`), 60_000);
  await vi.waitFor(async () => {
    const { rows } = await sql<{
      wanted: boolean;
    }>`select pairing_code_wanted as wanted from connection`.execute(db);
    expect(rows[0]?.wanted).toBe(false);
  }, 60_000);
  expect(it.calls.filter((one) => one.startsWith("code"))).toHaveLength(1);
});

test("of two rounds that both read the wish for a pairing code one answers it", async () => {
  const connectionId = await makeConnection(db, await makeAccount(db));
  await sql`update connection set pairing_code_wanted = true where id = ${connectionId}`.execute(db);
  const taken = await Promise.all([takeCodeWish(db, connectionId), takeCodeWish(db, connectionId)]);
  expect(taken.toSorted()).toEqual([false, true]);
});

test("a newly paired device resends no doubts: they are for humans", async () => {
  const accountId = await makeAccount(db);
  const connectionId = await makeConnection(db, accountId);
  const campaignId = await makeCampaign(db, accountId, { people: 3, connectionId, status: "draft" });
  await sql`update connection set pairing = 'old' where id = ${connectionId}`.execute(db);
  await sql`insert into delivery (campaign_id, seq, phone, name, status, ambiguous)
    values (${campaignId}, 0, 5511900000000, 'A', 2, true), (${campaignId}, 1, 5511900000001, 'B', 2, false)`.execute(
    db,
  );
  await sql`update campaign set status = 'paused', total = 2, cursor = 2, waiting_count = 2, started_at = now() where id = ${campaignId}`.execute(
    db,
  );
  const single = await sql<{ id: number }>`insert into outbox
      (account_id, connection_id, phone, text, message_id, body_hash, status, ambiguous)
    values (${accountId}::uuid, ${connectionId}, 5511900000002, 'Oi', '3EB0AA', '', 2, true) returning id`.execute(
    db,
  );
  const it = await startProcess({ readyFor: () => 0 });
  await vi.waitFor(() => expect(it.hosts.get(connectionId)).toBeDefined(), 60_000);
  await it.hosts.get(connectionId)?.report({ state: "pending" });
  await it.hosts.get(connectionId)?.report({ state: "connected", pairing: "new" });
  const ledger = await readLedger(db, campaignId);
  expect(ledger.rows).toEqual([0, 0, 1, 0, 1, 0, 0, 0, 0, 0]);
  expect(ledger.rows).toEqual(ledger.counters);
  expect(await readOutbox(ownerOf(db, accountId), single.rows[0]?.id ?? 0)).toMatchObject({
    state: "uncertain",
    error: "paired_again",
  });
});

test("that WhatsApp ended a session is noted once, and campaigns show it", async () => {
  const accountId = await makeAccount(db);
  const connectionId = await makeConnection(db, accountId);
  const it = await startProcess();
  await vi.waitFor(() => expect(it.hosts.get(connectionId)).toBeDefined(), 60_000);
  for (let times = 0; times < 2; times++)
    await it.hosts.get(connectionId)?.report({ state: "disconnected", cause: "logged_out" });
  expect(new Set(it.marked)).toEqual(new Set([`connections ${accountId}`, `campaigns ${accountId}`]));
  const { rows } =
    await sql`select kind, details from audit_event where account_id = ${accountId}::uuid`.execute(db);
  expect(rows).toEqual([{ kind: "connection_ended", details: { cause: "logged_out" } }]);
});

test("who leaves one account after they were handed out gets nothing of it, and what another account sends them", async () => {
  const answer = Promise.withResolvers<void>();
  const it = await startProcess({
    answer: async ({ messageId }) => {
      await answer.promise;
      return { kind: "accepted", providerId: messageId, at: Date.now() };
    },
  });
  const start = async () => {
    const accountId = await makeAccount(db);
    const connectionId = await makeConnection(db, accountId);
    return { accountId, campaignId: await makeCampaign(db, accountId, { people: 3, connectionId }) };
  };
  const [left, other] = [await start(), await start()];
  const rows = async ({ campaignId }: typeof left) => (await readLedger(db, campaignId)).rows;
  for (const one of [left, other])
    await vi.waitFor(async () => expect(await rows(one)).toEqual([0, 3, 0, 0, 0, 0, 0, 0, 0, 0]), 60_000);
  await vi.waitFor(() => expect(it.phone.frames).toHaveLength(2), 60_000);
  await optOut(ownerOf(db, left.accountId), {
    phone: "5511900000002",
    source: "manual",
    connectionId: null,
    text: null,
  });
  await vi.waitFor(async () => expect(await rows(left)).toEqual([0, 2, 0, 1, 0, 0, 0, 0, 0, 0]), 60_000);
  answer.resolve();
  await vi.waitFor(async () => expect(await rows(left)).toEqual([0, 0, 0, 1, 0, 0, 0, 2, 0, 0]), 60_000);
  await vi.waitFor(async () => expect(await rows(other)).toEqual([0, 0, 0, 0, 0, 0, 0, 3, 0, 0]), 60_000);
});

test("who leaves while the process does not hear of it, for its listening connection was lost, gets nothing any more", async () => {
  const answer = Promise.withResolvers<void>();
  await startProcess({
    answer: async ({ messageId }) => {
      await answer.promise;
      return { kind: "accepted", providerId: messageId, at: Date.now() };
    },
  });
  const accountId = await makeAccount(db);
  const connectionId = await makeConnection(db, accountId);
  const campaignId = await makeCampaign(db, accountId, { people: 3, connectionId });
  const states = (expected: number[]) =>
    vi.waitFor(async () => expect((await readLedger(db, campaignId)).rows).toEqual(expected), 60_000);
  await states([0, 3, 0, 0, 0, 0, 0, 0, 0, 0]);
  await db.transaction().execute(async (tx) => {
    await optOut(ownerOf(db, accountId).in(tx), {
      phone: "5511900000002",
      source: "manual",
      connectionId: null,
      text: null,
    });
    const { rows } = await sql`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and query = 'listen "recado_lane"'`.execute(db);
    expect(rows).toHaveLength(1);
  });
  await states([0, 2, 0, 1, 0, 0, 0, 0, 0, 0]);
  answer.resolve();
  await states([0, 0, 0, 1, 0, 0, 0, 2, 0, 0]);
});
