import { randomBytes } from "node:crypto";
import { sql } from "kysely";
import { expect, test } from "vitest";
import { testDatabase } from "../../../../tests/support/database.ts";
import { type LaneOptions, laneLab } from "../../../../tests/support/lane-lab.ts";
import { DELIVERY } from "../../../domain/delivery.ts";
import type { WireMessage } from "../../transports/transport.ts";
import { noteTalks } from "../ledger/known-conversations.ts";
import { recount } from "../ledger/recount.ts";
import { takeTurn } from "../ledger/turn.ts";
import { acquireConnection } from "../ownership/acquire.ts";

const { db, database } = await testDatabase();
const { arrange } = laneLab({ db, database });

const FIRST = 5511900000000;
const phoneOf = (seq: number) => String(FIRST + seq);
const LOCK = new Date("2099-01-01T00:00:00Z");

async function restricted({ warm = [], ...options }: LaneOptions & { warm?: readonly number[] } = {}) {
  const lock: { until: Date | null; everybody: boolean } = { until: LOCK, everybody: false };
  const tried: string[] = [];
  const answer = async (message: WireMessage) => {
    const { until } = lock;
    if (until && !(await message.isWarm?.())) {
      tried.push(message.to.jid);
      return { kind: "stop" as const, cause: "new_conversation" as const, retryAt: until.getTime() };
    }
    return { kind: "accepted" as const, providerId: message.messageId, at: Date.now() };
  };
  const it = await arrange({ answer, coldWaitsUntil: () => lock.until, ...options });
  const at = new Date();
  await noteTalks(
    db,
    it.connectionId,
    warm.map((seq) => ({ names: [phoneOf(seq)], at, answered: false })),
  );
  const got = () => [...it.phone.held().keys()].filter((jid) => !tried.includes(jid)).toSorted();
  const sent = async () => (await it.ledger()).rows[DELIVERY.sent];
  const lift = () => {
    lock.until = null;
    it.phone.setOpen(true);
  };
  return { ...it, lock, tried, got, sent, lift };
}

const enqueue = (accountId: string, connectionId: number, to: { phone?: string; jid?: string }) =>
  sql`insert into outbox (account_id, connection_id, phone, jid, text, message_id, body_hash)
    values (${accountId}::uuid, ${connectionId}, ${to.phone ?? null}::bigint, ${to.jid ?? null}, 'Oi',
      ${`3EB0${randomBytes(9).toString("hex").toUpperCase()}`}, '')`.execute(db);

const singles = async (connectionId: number) => {
  const { rows } = await sql<{ to: string; status: number }>`select coalesce(phone::text, jid) as to, status
    from outbox where connection_id = ${connectionId} order by id`.execute(db);
  return Object.fromEntries(rows.map(({ to, status }) => [to, status]));
};

test.each([
  ["paced", 2],
  ["as fast as they go", 0],
])(
  "26.1 under a restriction a campaign's warm people are written to, %s, and its cold ones wait, each reached once when it ends",
  async (_, intervalS) => {
    const warm = [2, 5, 11];
    const it = await restricted({ people: 12, intervalS, warm });
    await it.run();
    await it.until(async () => (await it.sent()) === warm.length);
    expect(it.got()).toEqual(warm.map(phoneOf).toSorted());
    expect(it.tried, "no cold person was tried").toEqual([]);
    const waiting = await it.ledger();
    expect(waiting).toMatchObject({ status: "sending" });
    expect(waiting.rows[DELIVERY.pending]).toBe(9);
    expect(waiting.rows).toEqual(waiting.counters);
    it.lift();
    await it.finishes();
    const held = it.phone.held();
    expect(held.size).toBe(12);
    expect([...held.values()].every((texts) => texts.length === 1)).toBe(true);
    const ended = await it.ledger();
    expect(ended.rows).toEqual(ended.counters);
    expect(await recount(db, 1)).toEqual([]);
  },
);

test("26.1 a restriction during a campaign returns claimed people; no one is lost or duplicated", async () => {
  const it = await restricted({ people: 20, warm: [3, 19] });
  it.lock.until = null;
  let sent = 0;
  const send = it.phone.transport.send;
  it.phone.transport.send = (message) => {
    sent += 1;
    if (sent === 6) it.lock.until = LOCK;
    return send(message);
  };
  await it.run();
  await it.until(() => it.got().includes(phoneOf(19)));
  await it.until(async () => (await it.ledger()).rows[DELIVERY.sending] === 0);
  expect(it.got()).toEqual([0, 1, 2, 3, 4, 19].map(phoneOf));
  expect(it.tried.length, "the one that WhatsApp refused").toBeLessThanOrEqual(1);
  it.lift();
  await sql`update delivery set not_before = now() where campaign_id = ${it.campaignId} and status = 2`.execute(
    db,
  );
  await it.finishes();
  const ledger = await it.ledger();
  expect(ledger.rows[DELIVERY.sent]).toBe(20);
  expect([...it.phone.held().values()].every((texts) => texts.length === 1)).toBe(true);
});

test("26.1 a restart under the restriction goes on where it was", async () => {
  const it = await restricted({ people: 12, warm: [4, 7] });
  const first = await it.run();
  await it.until(async () => (await it.sent()) === 2);
  await first.close(1_000);
  await noteTalks(db, it.connectionId, [{ names: [phoneOf(9)], at: new Date(), answered: false }]);
  await it.run();
  await it.until(async () => (await it.sent()) === 3);
  expect(it.got()).toEqual([4, 7, 9].map(phoneOf));
  it.lift();
  await it.finishes();
  expect([...it.phone.held().values()].map((texts) => texts.length)).toEqual(Array(12).fill(1));
});

test("26.1 a campaign of warm people alone ends under the restriction", async () => {
  const it = await restricted({ people: 3, warm: [0, 1, 2] });
  await it.run();
  await it.finishes();
  expect((await it.ledger()).rows[DELIVERY.sent]).toBe(3);
});

test("26.1 a reply in an open conversation leaves under a restriction, a cold single message waits and leaves when it ends", async () => {
  const it = await restricted({ people: 1 });
  const { accountId, connectionId } = it;
  const [known, stranger] = ["5511922220001", "5511922220002"];
  await noteTalks(db, connectionId, [
    { names: [known], at: new Date(), answered: false },
    { names: ["99@lid"], at: new Date(), answered: false },
  ]);
  for (const to of [
    { phone: stranger },
    { phone: known },
    { jid: "99@lid" },
    { jid: "98@lid" },
    { jid: "1@g.us" },
  ])
    await enqueue(accountId, connectionId, to);
  await it.run();
  await it.until(async () => (await singles(connectionId))["1@g.us"] === DELIVERY.sent);
  expect(await singles(connectionId)).toEqual({
    [known]: DELIVERY.sent,
    "99@lid": DELIVERY.sent,
    "1@g.us": DELIVERY.sent,
    [stranger]: DELIVERY.pending,
    "98@lid": DELIVERY.pending,
  });
  it.lift();
  await it.until(async () =>
    Object.values(await singles(connectionId)).every((one) => one === DELIVERY.sent),
  );
});

test("26.1 cold people of one campaign do not delay another campaign on the restricted number", async () => {
  const it = await restricted({ people: 6, intervalS: 5, warm: [0, 1, 2, 3, 4, 5] });
  const other = await restricted({ people: 4 });
  await sql`update campaign set connection_id = ${it.connectionId} where id = ${other.campaignId}`.execute(
    db,
  );
  await sql`update delivery set phone = phone + 500 where campaign_id = ${other.campaignId}`.execute(db);
  await it.run();
  await it.finishes();
  expect(it.tried).toEqual([]);
  expect((await other.ledger()).rows[DELIVERY.pending]).toBe(4);
});

test("26.1 who is given back warm is written to again under the restriction, who is cold waits there too", async () => {
  const it = await restricted({ people: 4, warm: [1] });
  await sql`update delivery set status = 2, ambiguous = seq > 1, tries = 1 where campaign_id = ${it.campaignId}`.execute(
    db,
  );
  await sql`update campaign set cursor = 4, pending_count = 0, waiting_count = 4 where id = ${it.campaignId}`.execute(
    db,
  );
  await noteTalks(db, it.connectionId, [{ names: [phoneOf(2)], at: new Date(), answered: false }]);
  await it.run();
  await it.until(async () => (await it.sent()) === 2);
  expect(it.got()).toEqual([1, 2].map(phoneOf));
  const ledger = await it.ledger();
  expect(ledger.rows[DELIVERY.waiting]).toBe(2);
  expect(ledger.status).toBe("sending");
});

test("26.1 while cold people wait the database is left in peace", async () => {
  const it = await restricted({ people: 5_000, warm: [4_999] });
  let turns = 0;
  const lane = await it.run((name) => {
    if (name.startsWith("turn")) turns += 1;
  });
  await it.until(async () => (await it.sent()) === 1);
  const before = turns;
  const from = it.clock.monotonic();
  await it.until(() => it.clock.monotonic() - from > 60_000, 100);
  expect(turns - before, "in a minute").toBeLessThan(5);
  await lane.close(1_000);
});

test("26.1 a message in flight beyond the cursor is returned in doubt by the next owner", async () => {
  const it = await restricted({ people: 10, warm: [8] });
  const taken = await acquireConnection(
    db,
    it.connectionId,
    "00000000-0000-4000-8000-00000000000a",
    "resend",
  );
  const { connectionId, campaignId } = it;
  const request = {
    connectionId,
    campaignId,
    fence: taken?.fence ?? 0,
    finished: [],
    want: 4,
    lowestInFlightSeq: null,
  };
  const answer = await takeTurn(database.prepared, { ...request, from: "warm", warmFrom: 0 });
  expect(answer).toMatchObject({ cursor: 0, claimed: [{ seq: 8 }], warmNext: null });
  await sql`update connection set owner = null where id = ${connectionId}`.execute(db);
  await acquireConnection(db, connectionId, "00000000-0000-4000-8000-00000000000b", "resend");
  const { rows } = await sql`select seq from delivery
    where campaign_id = ${campaignId} and status = 2 and ambiguous`.execute(db);
  expect(rows).toEqual([{ seq: 8 }]);
  expect((await it.ledger()).rows[DELIVERY.waiting]).toBe(1);
});

test("26.1 the search for warm people goes on where it stopped, window by window", async () => {
  const it = await restricted({ people: 5_000, warm: [1, 2, 4_500] });
  const taken = await acquireConnection(
    db,
    it.connectionId,
    "00000000-0000-4000-8000-00000000000c",
    "resend",
  );
  const { connectionId, campaignId } = it;
  const base = { connectionId, campaignId, fence: taken?.fence ?? 0, finished: [], lowestInFlightSeq: null };
  const turn = (warmFrom: number, want = 1) =>
    takeTurn(database.prepared, { ...base, want, from: "warm", warmFrom });
  expect(await turn(0)).toMatchObject({ claimed: [{ seq: 1 }], warmNext: 2, cursor: 0 });
  expect(await turn(2, 5)).toMatchObject({ claimed: [{ seq: 2 }], warmNext: 2_002 });
  expect(await turn(2_002)).toMatchObject({ claimed: [], warmNext: 4_002 });
  expect(await turn(4_002)).toMatchObject({ claimed: [{ seq: 4_500 }], warmNext: 4_501 });
  expect(await turn(4_501)).toMatchObject({ claimed: [], warmNext: null });
});
