import { sql } from "kysely";
import { afterEach, expect, test, vi } from "vitest";
import { testDatabase } from "../../../tests/support/database.ts";
import { laneProcesses } from "../../../tests/support/lane-process.ts";
import { echoOf, type GatewayScript, scriptedGateway } from "../../../tests/support/scripted-gateway.ts";
import { makeAccount, makeCampaign, makeConnection, readLedger } from "../../../tests/support/sending.ts";
import { DELIVERY } from "../../domain/delivery.ts";
import { ownerOf } from "../db/owner.ts";
import { type Failpoint, setFailpoint } from "../failpoint.ts";
import { startNext } from "./audience.ts";
import { cancelCampaign, pauseCampaign } from "./campaign-life.ts";
import type { LaneTimes } from "./deliver.ts";
import { actOnDelivery } from "./delivery-actions.ts";
import { recordEchoes } from "./echoes.ts";
import { enqueue } from "./outbox.ts";
import { settleProviderReceipts } from "./provider-messages.ts";

const { db, database } = await testDatabase();
const startProcess = laneProcesses({ database });
afterEach(() => setFailpoint(null));

const QUICK: Partial<LaneTimes> = {
  look: 20,
  search: [40, 80],
  receipts: [20],
  flush: 5,
  poll: 20,
  retry: [5, 5],
};
/** Long enough that nobody is given up while a test looks. */
const PATIENT = { ...QUICK, reconcile: 60_000 };
const HASTY = { ...QUICK, reconcile: 150 };

async function arrange(script: GatewayScript & { people?: number; text?: string } = {}) {
  const accountId = await makeAccount(db);
  const connectionId = await makeConnection(db, accountId, "instance");
  const campaignId = await makeCampaign(db, accountId, { people: 5, ...script, connectionId });
  await startNext(database);
  const gateway = scriptedGateway(script);
  const ledger = () => readLedger(db, campaignId);
  return {
    ...{ accountId, connectionId, campaignId, gateway, ledger },
    owner: ownerOf(db, accountId),
    run: (times: Partial<LaneTimes> = PATIENT) =>
      startProcess({ instance: () => gateway.transport, times, resend: "never" }),
    ends: () => vi.waitFor(async () => expect((await ledger()).life).toBe("ended"), { timeout: 10_000 }),
    states: (expected: number[]) =>
      vi.waitFor(async () => expect((await ledger()).rows).toEqual(expected), { timeout: 10_000 }),
    person: async (seq: number) => {
      const { rows } = await sql<{ status: number; error: string | null; tries: number }>`
        select status, error, tries from delivery where campaign_id = ${campaignId} and seq = ${seq}`.execute(
        db,
      );
      return rows[0];
    },
    /** The gateway's webhooks arrive. */
    tell: () => recordEchoes(db, connectionId, gateway.held.map(echoOf)),
  };
}

test("a gateway's campaign: each outcome its state, and no end while somebody is looked for", async () => {
  const it = await arrange({
    people: 8,
    searchable: false,
    fate: ({ to }, nth) => {
      if (to.jid.endsWith("1")) return { kind: "refused", code: "not_on_whatsapp", passing: false };
      if (to.jid.endsWith("2") && nth === 1) return { kind: "refused", code: "busy", passing: true };
      if (to.jid.endsWith("3") && nth === 1)
        return { kind: "stop", cause: "rate_limited", retryAt: Date.now() + 50 };
      if (to.jid.endsWith("4")) return "never left";
      return to.jid.endsWith("5") ? "answer lost" : "accept";
    },
  });
  await it.run();
  await it.states([0, 0, 2, 0, 0, 1, 5, 0, 0]);
  expect(await it.person(4)).toEqual({ status: DELIVERY.waiting, error: "gateway_timeout", tries: 1 });
  const { life, rows, counters } = await it.ledger();
  expect(life).toBe("sending");
  expect(rows).toEqual(counters);
  await it.tell();
  await it.states([0, 0, 1, 0, 0, 1, 6, 0, 0]);
  expect((await it.ledger()).life).toBe("sending");
  // Its time runs out.
  await sql`update delivery set not_before = now() where campaign_id = ${it.campaignId} and status = 2`.execute(
    db,
  );
  await it.ends();
  expect(await it.person(4)).toEqual({ status: DELIVERY.uncertain, error: "gateway_timeout", tries: 1 });
  expect([...it.gateway.heldBy().values()].map((texts) => texts.length)).toEqual([1, 1, 1, 1, 1, 1]);
});

test("a lost answer is found by asking the gateway, with the receipts that came meanwhile", async () => {
  const it = await arrange({ fate: () => "answer lost" });
  await it.run();
  await vi.waitFor(() => expect(it.gateway.held).toHaveLength(5));
  const [first, second] = it.gateway.held;
  await settleProviderReceipts(db, it.connectionId, [
    { messageId: first?.id ?? "", status: "read", at: new Date() },
    { messageId: second?.id ?? "", status: "error", at: new Date() },
  ]);
  await it.ends();
  await it.states([0, 0, 0, 0, 0, 1, 3, 0, 1]);
  expect(it.gateway.attempts()).toBe(5);
});

test("who was never found is a human's: late truth still settles them, and the three actions work", async () => {
  const it = await arrange({
    people: 4,
    searchable: false,
    fate: ({ to }, nth) => {
      if (nth === 2) return "accept";
      return to.jid.endsWith("0") ? "answer lost" : "never left";
    },
  });
  await it.run(HASTY);
  await it.ends();
  expect((await it.ledger()).rows).toEqual([0, 0, 0, 0, 4, 0, 0, 0, 0]);
  // Its webhook comes when everything seemed over.
  await it.tell();
  await it.states([0, 0, 0, 0, 3, 0, 1, 0, 0]);
  await actOnDelivery(it.owner, it.campaignId, 1, "mark_sent");
  await actOnDelivery(it.owner, it.campaignId, 2, "ignore");
  await actOnDelivery(it.owner, it.campaignId, 3, "resend");
  await it.states([0, 0, 0, 1, 0, 0, 3, 0, 0]);
  await it.ends();
  expect(it.gateway.heldBy().get("5511900000003")).toHaveLength(1);
});

test("a cancelled campaign's doubts are looked for all the same, and then are a human's", async () => {
  const it = await arrange({
    ...{ people: 30, slots: 2, searchable: false },
    fate: ({ to }) => {
      if (to.jid.endsWith("00")) return "answer lost";
      return to.jid.endsWith("01")
        ? "never left"
        : { kind: "stop", cause: "not_connected", retryAt: "human" };
    },
  });
  await it.run();
  await vi.waitFor(async () => expect((await it.ledger()).rows[2]).toBeGreaterThanOrEqual(2));
  await cancelCampaign(it.owner, it.campaignId);
  await it.states([0, 0, 2, 28, 0, 0, 0, 0, 0]);
  expect((await it.ledger()).life).toBe("cancelled");
  await it.tell();
  await it.states([0, 0, 1, 28, 0, 0, 1, 0, 0]);
  await sql`update delivery set not_before = now() where campaign_id = ${it.campaignId} and status = 2`.execute(
    db,
  );
  await it.states([0, 0, 0, 28, 1, 0, 1, 0, 0]);
  const { life, rows, counters } = await it.ledger();
  expect(life).toBe("cancelled");
  expect(rows).toEqual(counters);
});

test("a paused campaign ends when its last doubt is found", async () => {
  const it = await arrange({ people: 1, searchable: false, fate: () => "answer lost" });
  await it.run();
  await it.states([0, 0, 1, 0, 0, 0, 0, 0, 0]);
  await pauseCampaign(it.owner, it.campaignId);
  await it.tell();
  await it.ends();
  expect((await it.ledger()).rows[6]).toBe(1);
});

const STEPS: { step: Failpoint; unknown: number }[] = [
  { step: "claim_committed", unknown: 0 },
  // Begun, and never written: nothing tells it from a message whose answer was lost.
  { step: "before_write", unknown: 1 },
  { step: "acknowledged", unknown: 0 },
  { step: "id_stored", unknown: 0 },
  { step: "before_record", unknown: 0 },
  { step: "after_record", unknown: 0 },
];

test.each(STEPS)(
  "F31 a lane that breaks at $step: nobody twice, nobody lost, at most one left to a human",
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
    const { rows, counters } = await it.ledger();
    expect(rows).toEqual(counters);
    expect(rows[4]).toBe(unknown);
    expect(rows[6]).toBe(12 - unknown);
    const texts = [...it.gateway.heldBy().values()];
    expect(texts.map((some) => some.length)).toEqual(texts.map(() => 1));
    expect(texts).toHaveLength(12 - unknown);
  },
);

test("who was only handed out when the process died is sent by the next one, single messages too", async () => {
  const it = await arrange({ people: 3 });
  const { id } = await enqueue(it.owner, {
    ...{ connectionId: it.connectionId, to: { phone: "5511988880005" }, text: "avulsa", imageId: null },
    ...{ idempotencyKey: null, origin: "api" },
  });
  await sql`update delivery set status = 1, fence = 0 where campaign_id = ${it.campaignId}`.execute(db);
  await sql`update campaign set cursor = 3, n_pending = 0, n_sending = 3 where id = ${it.campaignId}`.execute(
    db,
  );
  await sql`update outbox set status = 1, fence = 0 where id = ${id}`.execute(db);
  await it.run();
  await it.ends();
  expect((await it.ledger()).rows[6]).toBe(3);
  await vi.waitFor(() => expect(it.gateway.held).toHaveLength(4));
});

test("F35 a database that is away when the answers come: what was accepted is told later, and to nobody again", async () => {
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
  expect((await it.ledger()).rows[6]).toBe(8);
  expect(it.gateway.held).toHaveLength(8);
  const { rows } = await sql<{ id: string }>`select provider_id as id from provider_message
    where connection_id = ${it.connectionId}`.execute(db);
  expect(rows.map(({ id }) => id).sort()).toEqual(it.gateway.held.map(({ id }) => id).sort());
});

test("a former owner that wakes up writes to nobody", async () => {
  let look = () => {};
  const asleep = new Promise<void>((resolve) => {
    look = resolve;
  });
  const it = await arrange({ people: 1 });
  const first = await startProcess({
    instance: () => ({
      ...it.gateway.transport,
      // It sleeps between the hand-out and the message.
      lookup: async (phone) => {
        await asleep;
        return { kind: "found", address: { jid: `${phone}@s.whatsapp.net`, lid: null } };
      },
    }),
    times: PATIENT,
  });
  await it.states([0, 1, 0, 0, 0, 0, 0, 0, 0]);
  await sql`update connection set owner = gen_random_uuid(), fence = fence + 1, lease_until = now() - interval '1 second'
    where id = ${it.connectionId}`.execute(db);
  await it.run();
  await it.ends();
  look();
  await first.lanes.close(2_000);
  expect(it.gateway.held).toHaveLength(1);
});

test("of two processes the second waits for what the first had on the wire, and sends it to nobody again", async () => {
  let answer = () => {};
  const answered = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const it = await arrange({
    ...{ people: 3, slots: 1, searchable: false },
    fate: async ({ to }) => {
      if (to.jid.endsWith("0")) await answered;
      return "accept" as const;
    },
  });
  await it.run();
  await it.states([2, 1, 0, 0, 0, 0, 0, 0, 0]);
  // The first process is stopped so long that its lease ends, and another one takes over.
  await sql`update connection set owner = gen_random_uuid(), fence = fence + 1, lease_until = now() - interval '1 second'
    where id = ${it.connectionId}`.execute(db);
  await startProcess({ instance: () => it.gateway.transport, times: PATIENT });
  await it.states([0, 0, 1, 0, 0, 0, 2, 0, 0]);
  expect((await it.ledger()).life).toBe("sending");
  // The answer of the first comes at last: what it proves is not lost with its ownership.
  answer();
  await it.ends();
  expect((await it.ledger()).rows[6]).toBe(3);
  expect(it.gateway.held.map((one) => one.to).sort()).toEqual([
    "5511900000000",
    "5511900000001",
    "5511900000002",
  ]);
});

test("two campaigns with one text to the same people: more are never called sent than got it", async () => {
  const fates = ["accept", "answer lost", "never left"] as const;
  let nth = 0;
  const it = await arrange({
    ...{ people: 30, text: "Promoção!", searchable: false },
    fate: () => fates[(nth++ * 7 + Math.floor(nth / 4)) % 3] ?? "accept",
  });
  const other = await makeCampaign(db, it.accountId, {
    ...{ people: 30, text: "Promoção!", connectionId: it.connectionId },
  });
  await startNext(database);
  await it.run();
  await vi.waitFor(() => expect(it.gateway.attempts()).toBe(60), { timeout: 10_000 });
  await it.tell();
  const told = async () =>
    (
      await sql<{ phone: string; sent: number; doubts: number }>`select phone::text as phone,
        count(*) filter (where status >= 6)::int as sent, count(*) filter (where status = 2)::int as doubts
      from delivery where campaign_id in (${it.campaignId}, ${other}) group by phone order by phone`.execute(
        db,
      )
    ).rows;
  // Nothing more is settled once two looks find nothing.
  let before = "";
  await vi.waitFor(
    async () => {
      const now = JSON.stringify(await told());
      const same = now === before;
      before = now;
      expect(same).toBe(true);
    },
    { timeout: 10_000, interval: 300 },
  );
  const held = it.gateway.heldBy();
  let settled = 0;
  for (const { phone, sent, doubts } of await told()) {
    expect(sent + doubts).toBe(2);
    expect(sent).toBeLessThanOrEqual(held.get(phone)?.length ?? 0);
    settled += sent;
  }
  expect(settled).toBeGreaterThan(20);
});

test("a doubt whose time is over is handed to nobody, also before it is seen to be over", async () => {
  const it = await arrange({
    people: 1,
    searchable: false,
    fate: (_, nth) => (nth === 1 ? "never left" : "accept"),
  });
  const single = {
    connectionId: it.connectionId,
    to: { phone: "5511988880003" },
    text: "avulsa",
    imageId: null,
  };
  const { id } = await enqueue(it.owner, { ...single, idempotencyKey: null, origin: "api" });
  await it.run({ ...PATIENT, look: 60_000 });
  await it.states([0, 0, 1, 0, 0, 0, 0, 0, 0]);
  await sql`update delivery set not_before = now() where campaign_id = ${it.campaignId}`.execute(db);
  await sql`update outbox set not_before = now() where id = ${id}`.execute(db);
  // Whatever the lane takes up meanwhile, it is none of them.
  const after = await makeCampaign(db, it.accountId, {
    ...{ people: 20, connectionId: it.connectionId, firstPhone: 5_511_977_000_000 },
  });
  await startNext(database);
  await vi.waitFor(async () => expect((await readLedger(db, after)).life).toBe("sending"));
  await sql`update delivery set not_before = now() where campaign_id = ${after} and status = 2`.execute(db);
  await vi.waitFor(async () => expect((await readLedger(db, after)).rows[2]).toBe(20), { timeout: 10_000 });
  await enqueue(it.owner, { ...single, to: { phone: "5511988880004" }, idempotencyKey: null, origin: "api" });
  await vi.waitFor(() => expect(it.gateway.attempts()).toBe(23), { timeout: 10_000 });
  expect(it.gateway.held).toEqual([]);
});

test("single messages: a lost answer is found, one to a group goes to its address, one that never left is a human's", async () => {
  const it = await arrange({
    people: 0,
    fate: ({ text }) => (text === "nunca" ? "never left" : text === "perdida" ? "answer lost" : "accept"),
  });
  const box = async (to: { phone: string } | { jid: string }, text: string) =>
    (
      await enqueue(it.owner, {
        ...{ connectionId: it.connectionId, to, text, imageId: null, idempotencyKey: null },
        origin: "chat",
      })
    ).id;
  const group = await box({ jid: "120363000000000009@g.us" }, "para todos");
  const lost = await box({ phone: "5511988880001" }, "perdida");
  const never = await box({ phone: "5511988880002" }, "nunca");
  const states = async () =>
    (
      await sql<{ id: number; status: number }>`select id, status from outbox
        where id in (${group}, ${lost}, ${never}) order by id`.execute(db)
    ).rows.map(({ status }) => status);
  await it.run();
  await vi.waitFor(async () => expect(await states()).toEqual([6, 6, 2]), { timeout: 10_000 });
  await sql`update outbox set not_before = now() where id = ${never}`.execute(db);
  await vi.waitFor(async () => expect(await states()).toEqual([6, 6, 4]), { timeout: 10_000 });
  expect(it.gateway.held.map((one) => one.to).sort()).toEqual(["120363000000000009@g.us", "5511988880001"]);
  expect(it.gateway.attempts()).toBe(3);
});

test("pictures travel as bytes with each message, and a lost one is found by its caption", async () => {
  const it = await arrange({
    people: 6,
    fate: ({ to }) => (to.jid.endsWith("2") ? "answer lost" : "accept"),
  });
  const { rows } = await sql<{
    id: number;
  }>`insert into image (account_id, sha256, mime, width, height, bytes)
    values (${it.accountId}::uuid, '\\x01', 'image/png', 1, 1, '\\xcafe') returning id`.execute(db);
  await sql`update campaign set image_id = ${rows[0]?.id ?? 0} where id = ${it.campaignId}`.execute(db);
  const media: unknown[] = [];
  const send = it.gateway.transport.send;
  const transport: typeof it.gateway.transport = {
    ...it.gateway.transport,
    send: (message) => {
      media.push(message.media);
      return send?.(message) ?? Promise.reject(new Error("no send"));
    },
  };
  await startProcess({ instance: () => transport, times: PATIENT });
  await it.ends();
  expect((await it.ledger()).rows[6]).toBe(6);
  expect(media).toEqual(Array(6).fill({ base64: "yv4=", mime: "image/png" }));
  const kept = await sql`select 1 from campaign_upload where campaign_id = ${it.campaignId}`.execute(db);
  expect(kept.rows).toEqual([]);
});

test("a process that cannot reach gateways leaves instances to others, and one at rest needs nobody", async () => {
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

test("whose time ran out while nobody could ask is asked for all the same, a few times", async () => {
  const it = await arrange({
    people: 2,
    searchable: false,
    fate: ({ to }) => (to.jid.endsWith("0") ? "answer lost" : "never left"),
  });
  const first = await it.run(HASTY);
  await it.states([0, 0, 0, 0, 2, 0, 0, 0, 0]);
  await first.lanes.close(1_000);
  const asked: string[] = [];
  await startProcess({
    instance: ({ connectionId }) => ({
      ...it.gateway.transport,
      sentTo: async (address, since) => {
        // Instances of other tests are looked after as well.
        if (connectionId === it.connectionId) asked.push(address.jid.split("@")[0] ?? "");
        return it.gateway.found(address, since);
      },
    }),
    times: PATIENT,
  });
  await it.states([0, 0, 0, 0, 1, 0, 1, 0, 0]);
  await vi.waitFor(() => expect(asked.filter((jid) => jid.endsWith("1"))).toHaveLength(2));
  // Nobody is asked for more often than that, however long it lasts.
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(asked.filter((jid) => jid.endsWith("1"))).toHaveLength(2);
});

test("doubts of an instance that nobody runs any more end as well", async () => {
  const it = await arrange({ people: 1, searchable: false, fate: () => "never left" });
  const first = await it.run();
  await it.states([0, 0, 1, 0, 0, 0, 0, 0, 0]);
  await first.lanes.close(1_000);
  await sql`update delivery set not_before = now() where campaign_id = ${it.campaignId}`.execute(db);
  await startProcess({ times: PATIENT });
  await it.ends();
  expect((await it.ledger()).rows[4]).toBe(1);
});

test("removing an instance keeps what is proven and shows the rest to a human", async () => {
  const it = await arrange({ people: 2, searchable: false, fate: () => "never left" });
  const { lanes } = await it.run();
  await it.states([0, 0, 2, 0, 0, 0, 0, 0, 0]);
  await lanes.close(1_000);
  await sql`insert into provider_message (connection_id, provider_id, campaign_id, seq, generation)
    values (${it.connectionId}, 'known', ${it.campaignId}, 0, 0)`.execute(db);
  await sql`update connection set desired = 'removed' where id = ${it.connectionId}`.execute(db);
  await startProcess({ instance: () => it.gateway.transport, times: { ...PATIENT, look: 60_000 } });
  await it.states([0, 0, 0, 0, 1, 0, 1, 0, 0]);
});
