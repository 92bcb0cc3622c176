import { sql } from "kysely";
import { afterEach, expect, test, vi } from "vitest";
import { testDatabase } from "../../../../tests/support/database.ts";
import { gatewayCampaigns, HASTY, PATIENT } from "../../../../tests/support/gateway-campaigns.ts";
import { takenByAnother } from "../../../../tests/support/held-lanes.ts";
import { makeCampaign, makeConnection, readLedger } from "../../../../tests/support/sending.ts";
import { type Failpoint, setFailpoint } from "../../base/failpoint.ts";
import { startNext } from "../campaigns/audience.ts";
import { takeTurn } from "../ledger/turn.ts";
import { claimOutbox, enqueue } from "../outbox/outbox.ts";
import { acquireConnection, removeConnection } from "../ownership/acquire.ts";
import { WireMarks } from "./wire-marks.ts";

const { db, database } = await testDatabase();
const { arrange, startProcess } = gatewayCampaigns({ db, database });
afterEach(() => setFailpoint(null));

const STEPS: { step: Failpoint; unknown: number }[] = [
  { step: "claim_committed", unknown: 0 },
  { step: "before_write", unknown: 1 },
  { step: "acknowledged", unknown: 0 },
  { step: "id_stored", unknown: 0 },
  { step: "before_record", unknown: 0 },
  { step: "after_record", unknown: 0 },
];

test.each(STEPS)(
  "F1 a lane that breaks at $step: no one twice, no one lost, at most one left to a human",
  async ({ step, unknown }) => {
    const it = await arrange({ people: 12 });
    let broken = 0;
    setFailpoint((name) => {
      if (name !== step || broken > 0) return;
      broken += 1;
      throw new Error("broken here");
    });
    await it.run(unknown > 0 ? HASTY : PATIENT);
    await it.ends();
    expect(broken).toBe(1);
    await it.states([0, 0, 0, 0, unknown, 0, 0, 12 - unknown, 0, 0]);
    const { rows, counters } = await it.ledger();
    expect(rows).toEqual(counters);
    const texts = [...it.gateway.heldBy().values()];
    expect(texts.map((some) => some.length)).toEqual(texts.map(() => 1));
    expect(texts).toHaveLength(12 - unknown);
  },
);

test("who was only handed out when the process died is sent by the next one, single messages too", async () => {
  const it = await arrange({ people: 3, confirms: false });
  const { id } = await enqueue(it.owner, {
    connectionId: it.connectionId,
    to: { phone: "5511988880005" },
    text: "avulsa",
    attachmentId: null,
    idempotencyKey: null,
    origin: "api",
  });
  await sql`update delivery set status = 1, fence = 0 where campaign_id = ${it.campaignId}`.execute(db);
  await sql`update campaign set cursor = 3, pending_count = 0, sending_count = 3 where id = ${it.campaignId}`.execute(
    db,
  );
  await sql`update outbox set status = 1, fence = 0 where id = ${id}`.execute(db);
  await it.run();
  await it.states([0, 0, 0, 0, 0, 0, 3, 0, 0, 0]);
  for (const seq of [0, 1, 2]) expect((await it.person(seq))?.tries).toBe(1);
  await vi.waitFor(() => expect(it.gateway.held).toHaveLength(4), 60_000);
});

test("who was refused once, and only handed out again when the process died, is in no doubt", async () => {
  const it = await arrange({ people: 1 });
  const { id } = await enqueue(it.owner, {
    connectionId: it.connectionId,
    to: { phone: "5511988880006" },
    text: "avulsa",
    attachmentId: null,
    idempotencyKey: null,
    origin: "api",
  });
  const due = sql`status = 2, tries = 1, not_before = now() - interval '1 second'`;
  await sql`update delivery set ${due} where campaign_id = ${it.campaignId}`.execute(db);
  await sql`update campaign set cursor = 1, pending_count = 0, waiting_count = 1 where id = ${it.campaignId}`.execute(
    db,
  );
  await sql`update outbox set ${due} where id = ${id}`.execute(db);
  const taken = await acquireConnection(db, it.connectionId, crypto.randomUUID(), "resend");
  const lane = { connectionId: it.connectionId, fence: taken?.fence ?? 0 };
  const request = { ...lane, campaignId: it.campaignId, finished: [], want: 5, lowestInFlightSeq: null };
  expect((await takeTurn(database.prepared, { ...request, from: "retry" }))?.claimed).toHaveLength(1);
  expect(await claimOutbox(db, lane, 5, false)).toHaveLength(1);
  await it.run();
  await it.states([0, 0, 0, 0, 0, 0, 0, 1, 0, 0]);
  await vi.waitFor(() => expect(it.gateway.held).toHaveLength(2), 60_000);
});

test("F4 F6 accepted messages are recorded after a database outage and sent only once", async () => {
  const it = await arrange({ people: 8, searchable: false });
  let faults = 0;
  const prepared: typeof database.prepared = (name, text, values) => {
    if (name !== "store_accepted" || faults >= 2) return database.prepared(name, text, values);
    faults += 1;
    return Promise.reject(Object.assign(new Error("terminating connection"), { code: "57P01" }));
  };
  await startProcess({
    database: { ...database, prepared },
    instance: () => it.gateway.transport,
    times: PATIENT,
  });
  await it.ends();
  expect(faults).toBe(2);
  expect((await it.ledger()).rows[7]).toBe(8);
  expect(it.gateway.held).toHaveLength(8);
  const { rows } = await sql<{ id: string }>`select provider_id as id from provider_message
    where connection_id = ${it.connectionId}`.execute(db);
  expect(rows.map(({ id }) => id).sort()).toEqual(it.gateway.held.map(({ id }) => id).sort());
});

test("F6 accepted messages are recorded although another process acquired the connection", async () => {
  const it = await arrange({ people: 1, searchable: false });
  let away = true;
  let refused = 0;
  const prepared: typeof database.prepared = (name, text, values) => {
    if (name !== "store_accepted" || !away) return database.prepared(name, text, values);
    refused += 1;
    return Promise.reject(Object.assign(new Error("terminating connection"), { code: "57P01" }));
  };
  const { hosts } = await startProcess({
    database: { ...database, prepared },
    instance: () => it.gateway.transport,
    times: PATIENT,
  });
  await vi.waitFor(() => expect(refused).toBeGreaterThan(0), 60_000);
  await takenByAnother(db, [it.connectionId], 300);
  await vi.waitFor(() => expect(hosts.get(it.connectionId)?.mayAct()).toBe(false), 60_000);
  const before = refused;
  await vi.waitFor(() => expect(refused).toBeGreaterThan(before + 2), { timeout: 60_000 });
  away = false;
  await it.states([0, 0, 0, 0, 0, 0, 0, 1, 0, 0]);
});

test("one message at a time is between its mark and the wire, and no answer is waited for", async () => {
  const it = await arrange({ people: 4, slots: 4 });
  const calls: { onWire?: (() => void) | undefined; answer: () => void }[] = [];
  await startProcess({
    instance: () => ({
      ...it.gateway.transport,
      send: async (message) => {
        await new Promise<void>((answer) => calls.push({ onWire: message.onWire, answer }));
        return { kind: "accepted", providerId: `id-${message.to.jid}`, at: Date.now() };
      },
    }),
    times: PATIENT,
  });
  const marked = async () =>
    (
      await sql<{ n: number }>`select count(*)::int as n from delivery
      where campaign_id = ${it.campaignId} and status = 1 and not_before is not null`.execute(db)
    ).rows[0]?.n;
  for (let nth = 1; nth <= 4; nth++) {
    await vi.waitFor(() => expect(calls).toHaveLength(nth), 60_000);
    await it.states([0, 4, 0, 0, 0, 0, 0, 0, 0, 0]);
    expect(await marked()).toBe(nth);
    calls[nth - 1]?.onWire?.();
  }
  for (const { answer } of calls) answer();
  await it.ends();
  expect((await it.ledger()).rows[7]).toBe(4);
});

test("a message that is never written keeps none of the others from the wire", async () => {
  const it = await arrange({ people: 3, slots: 2 });
  const { send } = it.gateway.transport;
  await startProcess({
    instance: () => ({
      ...it.gateway.transport,
      send: async (message) =>
        !send || message.to.jid.endsWith("0")
          ? { kind: "refused", code: "invalid_number", passing: false }
          : send(message),
    }),
    times: PATIENT,
  });
  await it.states([0, 0, 0, 0, 0, 1, 0, 2, 0, 0]);
});

test("a former owner that wakes up sends nothing", async () => {
  let look = () => {};
  const asleep = new Promise<void>((resolve) => {
    look = resolve;
  });
  const it = await arrange({ people: 1 });
  let opened = false;
  const first = await startProcess({
    instance: ({ connectionId }) => {
      if (connectionId === it.connectionId && opened) throw new Error("not again");
      opened ||= connectionId === it.connectionId;
      return {
        ...it.gateway.transport,
        lookup: async (phone) => {
          await asleep;
          return { kind: "found", address: { jid: `${phone}@s.whatsapp.net`, lid: null } };
        },
      };
    },
    times: PATIENT,
  });
  await it.states([0, 1, 0, 0, 0, 0, 0, 0, 0, 0]);
  await takenByAnother(db, [it.connectionId], -1);
  await it.run();
  await it.ends();
  look();
  await first.lanes.close(2_000);
  expect(it.gateway.held).toHaveLength(1);
});

test("of messages that another owner has handed out again none is begun", async () => {
  const it = await arrange({ people: 1 });
  const { id } = await enqueue(it.owner, {
    connectionId: it.connectionId,
    to: { phone: "5511988880007" },
    text: "avulsa",
    attachmentId: null,
    idempotencyKey: null,
    origin: "api",
  });
  await sql`update outbox set status = 1, fence = 2 where id = ${id}`.execute(db);
  await sql`update delivery set status = 1, fence = 2 where campaign_id = ${it.campaignId}`.execute(db);
  const { accountId, campaignId } = it;
  const person = { accountId, campaignId, seq: 0, phone: "5511988880000", address: null };
  const former = new WireMarks(db, database.prepared, 1);
  expect(await former.person(person)).toBeNull();
  expect(await former.direct(id)).toBeNull();
  const present = new WireMarks(db, database.prepared, 2);
  const onWire = await present.person(person);
  if (typeof onWire !== "function") throw new Error("not marked");
  onWire();
  expect(await present.direct(id)).not.toBeNull();
});

test("a second process waits for messages in flight of the first and resends none", async () => {
  let answer = () => {};
  const answered = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const it = await arrange({
    people: 3,
    slots: 1,
    searchable: false,
    fate: async ({ to }) => {
      if (to.jid.endsWith("0")) await answered;
      return "accept" as const;
    },
  });
  await it.run();
  await it.states([2, 1, 0, 0, 0, 0, 0, 0, 0, 0]);
  await takenByAnother(db, [it.connectionId], -1);
  await startProcess({ instance: () => it.gateway.transport, times: PATIENT });
  await it.states([0, 0, 1, 0, 0, 0, 0, 2, 0, 0]);
  expect((await it.ledger()).status).toBe("sending");
  answer();
  await it.ends();
  expect((await it.ledger()).rows[7]).toBe(3);
  expect(it.gateway.held.map((one) => one.to).sort()).toEqual([
    "5511900000000",
    "5511900000001",
    "5511900000002",
  ]);
});

test("F39 a clean stop waits for the gateway's answers and leaves no doubts", async () => {
  const answer = Promise.withResolvers<"accept">();
  const it = await arrange({ people: 2, slots: 1, searchable: false, fate: () => answer.promise });
  const idle = await makeConnection(db, it.accountId, "instance");
  const owners = async () => {
    const { rows } = await sql<{ owner: string | null }>`select owner from connection
      where id in (${idle}, ${it.connectionId}) order by id`.execute(db);
    return rows.map(({ owner }) => owner !== null);
  };
  const { lanes } = await it.run();
  await it.states([1, 1, 0, 0, 0, 0, 0, 0, 0, 0]);
  await vi.waitFor(async () => expect(await owners()).toEqual([true, true]), 60_000);
  const closing = lanes.close(60_000);
  await vi.waitFor(async () => expect((await owners())[1]).toBe(false), 60_000);
  expect(await owners()).toEqual([true, false]);
  answer.resolve("accept");
  await closing;
  expect((await it.ledger()).rows).toEqual([1, 0, 0, 0, 0, 0, 1, 0, 0, 0]);
});

test("an expired doubt is never claimed, even before it is marked as expired", async () => {
  const it = await arrange({
    people: 1,
    searchable: false,
    fate: (_, nth) => (nth === 1 ? "never left" : "accept"),
  });
  const single = {
    connectionId: it.connectionId,
    to: { phone: "5511988880003" },
    text: "avulsa",
    attachmentId: null,
  };
  const { id } = await enqueue(it.owner, { ...single, idempotencyKey: null, origin: "api" });
  await it.run({ ...PATIENT, look: 60_000 });
  await it.states([0, 0, 1, 0, 0, 0, 0, 0, 0, 0]);
  await sql`update delivery set not_before = now() where campaign_id = ${it.campaignId}`.execute(db);
  await sql`update outbox set not_before = now() where id = ${id}`.execute(db);
  const after = await makeCampaign(db, it.accountId, {
    people: 20,
    connectionId: it.connectionId,
    firstPhone: 5_511_977_000_000,
  });
  await startNext(database);
  await vi.waitFor(async () => expect((await readLedger(db, after)).status).toBe("sending"), 60_000);
  await sql`update delivery set not_before = now() where campaign_id = ${after} and status = 2`.execute(db);
  await vi.waitFor(async () => expect((await readLedger(db, after)).rows[2]).toBe(20), { timeout: 60_000 });
  await enqueue(it.owner, { ...single, to: { phone: "5511988880004" }, idempotencyKey: null, origin: "api" });
  await vi.waitFor(() => expect(it.gateway.attempts()).toBe(23), { timeout: 60_000 });
  expect(it.gateway.held).toEqual([]);
});

test("a process without gateways leaves instances to others; a stopped instance needs no owner", async () => {
  const it = await arrange({ people: 2 });
  const resting = await makeConnection(db, it.accountId, "instance");
  await sql`update connection set desired = 'disconnected', state = 'disconnected' where id = ${resting}`.execute(
    db,
  );
  await makeConnection(db, it.accountId);
  await startProcess({ times: PATIENT });
  await startProcess({ times: PATIENT });
  const second = await it.run();
  await it.ends();
  expect(second.hosts.has(it.connectionId)).toBe(true);
  const { rows } = await sql<{
    owner: string | null;
  }>`select owner from connection where id = ${resting}`.execute(db);
  expect(rows).toEqual([{ owner: null }]);
});

test("a doubt that expired while no search was possible is searched for a few times", async () => {
  const it = await arrange({
    people: 2,
    searchable: false,
    fate: ({ to }) => (to.jid.endsWith("0") ? "answer lost" : "never left"),
  });
  const first = await it.run(HASTY);
  await it.states([0, 0, 0, 0, 2, 0, 0, 0, 0, 0]);
  await first.lanes.close(1_000);
  const asked: string[] = [];
  await startProcess({
    instance: ({ connectionId }) => ({
      ...it.gateway.transport,
      sentTo: async (address, since) => {
        if (connectionId === it.connectionId) asked.push(address.jid.split("@")[0] ?? "");
        return it.gateway.found(address, since);
      },
    }),
    times: PATIENT,
  });
  await it.states([0, 0, 0, 0, 1, 0, 0, 1, 0, 0]);
  await vi.waitFor(() => expect(asked.filter((jid) => jid.endsWith("1"))).toHaveLength(2), 60_000);
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(asked.filter((jid) => jid.endsWith("1"))).toHaveLength(2);
});

test("doubts of an instance without an owner end as well", async () => {
  const it = await arrange({ people: 1, searchable: false, fate: () => "never left" });
  const first = await it.run();
  await it.states([0, 0, 1, 0, 0, 0, 0, 0, 0, 0]);
  await first.lanes.close(1_000);
  await sql`update delivery set not_before = now() where campaign_id = ${it.campaignId}`.execute(db);
  await startProcess({ times: PATIENT });
  await it.ends();
  expect((await it.ledger()).rows[4]).toBe(1);
});

test("removing an instance keeps what is proven and shows the rest to a human", async () => {
  const it = await arrange({ people: 2, searchable: false, fate: () => "never left" });
  const { lanes } = await it.run();
  await it.states([0, 0, 2, 0, 0, 0, 0, 0, 0, 0]);
  await lanes.close(1_000);
  await sql`insert into provider_message (connection_id, provider_id, campaign_id, seq, resend_number)
    values (${it.connectionId}, 'known', ${it.campaignId}, 0, 0)`.execute(db);
  await sql`update connection set desired = 'removed' where id = ${it.connectionId}`.execute(db);
  await startProcess({ instance: () => it.gateway.transport, times: { ...PATIENT, look: 60_000 } });
  await it.states([0, 0, 0, 0, 1, 0, 0, 1, 0, 0]);
});

test("who was only handed out when an instance is removed is in no doubt, who was begun is a human's", async () => {
  const it = await arrange({ people: 2 });
  await sql`update delivery set status = 1, fence = 0, not_before = case when seq = 1 then now() end
    where campaign_id = ${it.campaignId}`.execute(db);
  await sql`update campaign set cursor = 2, pending_count = 0, sending_count = 2 where id = ${it.campaignId}`.execute(
    db,
  );
  await sql`update connection set desired = 'removed' where id = ${it.connectionId}`.execute(db);
  await removeConnection(db, { connectionId: it.connectionId, fence: 0 });
  expect(await it.ledger()).toMatchObject({ status: "paused", rows: [0, 0, 1, 0, 1, 0, 0, 0, 0, 0] });
  expect((await it.person(1))?.error).toBe("interrupted");
});
