import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import { expect, test } from "vitest";
import { testDatabase } from "../../../../tests/support/database.ts";
import { leaseOf } from "../../../../tests/support/held-lanes.ts";
import { makeAccount, makeCampaign, makeConnection, readLedger } from "../../../../tests/support/sending.ts";
import { DELIVERY } from "../../../domain/delivery.ts";
import { systemClock } from "../../base/clock.ts";
import { startNext } from "../campaigns/audience.ts";
import { OutcomeBuffer } from "../lane/outcome-buffer.ts";
import { acquireConnection } from "../ownership/acquire.ts";
import { settle } from "./settle.ts";
import { type Claimed, type Finished, type TurnRequest, takeTurn } from "./turn.ts";

const { db, database } = await testDatabase();

const PEOPLE = 1_000;
const OWNERS = 4;

function chance(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 4_294_967_296;
  };
}

type Claim = { seq: number; fence: number; ambiguous: boolean };

test("rival owners, take-overs and receipts race for a thousand people: none twice, none lost, counters exact", async () => {
  const accountId = await makeAccount(db);
  const connectionId = await makeConnection(db, accountId);
  const campaignId = await makeCampaign(db, accountId, { people: PEOPLE, connectionId });
  await startNext(database);

  const claims: Claim[] = [];
  const recorded = new Map<number, number>();
  const returned = new Map<number, number>();
  let fences = 0;
  let over = false;
  let exhausted = false;

  async function owner(seed: number): Promise<void> {
    const random = chance(seed);
    const id = randomUUID();
    while (!over) {
      const taken = await acquireConnection(db, connectionId, id, "resend");
      if (!taken) continue;
      fences += 1;
      await run(taken.fence, random);
    }
  }

  async function run(fence: number, random: () => number): Promise<void> {
    let inHand: Claimed[] = [];
    for (let turns = 0; turns < 40 && !over; turns++) {
      const batch = inHand.filter(() => random() < 0.8);
      const finished = batch.map((one) => outcome(one, random()));
      inHand = inHand.filter((one) => !batch.includes(one));
      const sources: TurnRequest["from"][] = exhausted
        ? ["returned", "doubt"]
        : ["cursor", "cursor", "retry", "returned", "doubt"];
      const from = sources[Math.floor(random() * sources.length)] ?? "cursor";
      const lowestInFlightSeq = inHand.length > 0 ? Math.min(...inHand.map((one) => one.seq)) : null;
      const answer = await takeTurn(database.prepared, {
        connectionId,
        fence,
        campaignId,
        finished,
        from,
        lowestInFlightSeq,
        want: Math.floor(random() * 80),
      });
      if (!answer) return;
      exhausted = answer.cursor >= answer.total;
      for (const one of finished) {
        if (one.to === "sent") recorded.set(one.seq, fence);
        if (one.to === "waiting" && !one.ambiguous) returned.set(one.seq, (returned.get(one.seq) ?? 0) + 1);
      }
      for (const one of answer.claimed) {
        if ((recorded.get(one.seq) ?? Number.POSITIVE_INFINITY) <= fence)
          throw new Error(`seq ${one.seq} was handed out after it was recorded as sent`);
        claims.push({ seq: one.seq, fence, ambiguous: one.ambiguous });
      }
      inHand.push(...answer.claimed);
      if (answer.status === "ended") over = true;
    }
  }

  async function receipts(): Promise<void> {
    const random = chance(99);
    while (!over) {
      const seqs = Array.from({ length: 5 }, () => Math.floor(random() * PEOPLE)).filter((seq) =>
        recorded.has(seq),
      );
      const to = random() < 0.5 ? DELIVERY.delivered : DELIVERY.read;
      await db.transaction().execute((tx) =>
        settle(
          tx,
          campaignId,
          seqs.map((seq) => ({ seq, to, at: new Date() })),
        ),
      );
    }
  }

  await Promise.all([...Array.from({ length: OWNERS }, (_, i) => owner(i + 1)), receipts(), receipts()]);

  const ledger = await readLedger(db, campaignId);
  expect(ledger.status).toBe("ended");
  expect(ledger.rows).toEqual(ledger.counters);
  expect(ledger.sum).toBe(PEOPLE);
  expect(ledger.rows.slice(0, 3), "no one without a final state").toEqual([0, 0, 0]);
  expect(new Set(claims.map((one) => one.seq)).size).toBe(PEOPLE);
  const clean = new Map<number, number>();
  for (const one of claims) if (!one.ambiguous) clean.set(one.seq, (clean.get(one.seq) ?? 0) + 1);
  const twice = [...clean].filter(([seq, times]) => times > 1 + (returned.get(seq) ?? 0));
  expect(twice, "handed out again without doubt and without having been given back").toEqual([]);
  expect(fences, "ownership really changed hands").toBeGreaterThan(OWNERS);
  expect(claims.some((one) => one.ambiguous)).toBe(true);
});

function outcome(one: Claimed, draw: number): Finished {
  const { seq } = one;
  const at = Date.now();
  if (draw < 0.8) return { seq, to: "sent", at };
  const rest = { seq, at, error: null, attempts: 1, ambiguous: false, delayMs: 0 };
  if (draw < 0.86) return { ...rest, to: "waiting" };
  if (draw < 0.9) return { ...rest, to: "waiting", ambiguous: true };
  if (draw < 0.94) return { ...rest, to: "error", error: "refused" };
  return { ...rest, to: draw < 0.97 ? "skipped" : "uncertain", error: "x" };
}

test("two owners at once: the second take-over makes the first one's turn answer nothing and write nothing", async () => {
  const accountId = await makeAccount(db);
  const connectionId = await makeConnection(db, accountId);
  const campaignId = await makeCampaign(db, accountId, { people: 10, connectionId });
  await startNext(database);
  const former = randomUUID();
  await leaseOf(db, former);
  const first = await acquireConnection(db, connectionId, former, "resend");
  const request = {
    connectionId,
    fence: first?.fence ?? 0,
    campaignId,
    finished: [],
    want: 4,
    from: "cursor" as const,
    lowestInFlightSeq: null,
  };
  expect((await takeTurn(database.prepared, request))?.claimed).toHaveLength(4);

  expect(
    await acquireConnection(db, connectionId, randomUUID(), "resend"),
    "a lease that lasts is respected",
  ).toBeNull();
  await leaseOf(db, former, -1);
  const second = await acquireConnection(db, connectionId, randomUUID(), "resend");
  expect(second?.fence).toBe(request.fence + 1);

  const late: Finished = { seq: 0, to: "sent", at: Date.now() };
  expect(await takeTurn(database.prepared, { ...request, finished: [late] })).toBeNull();
  const ledger = await readLedger(db, campaignId);
  expect(ledger.rows).toEqual([6, 0, 4, 0, 0, 0, 0, 0, 0, 0]);
  expect(ledger.rows).toEqual(ledger.counters);

  const inDoubt = await sql`select distinct ambiguous, tries from delivery
    where campaign_id = ${campaignId} and status = 2`.execute(db);
  expect(inDoubt.rows).toEqual([{ ambiguous: true, tries: 1 }]);

  const again = { ...request, fence: second?.fence ?? 0, from: "doubt" as const };
  expect((await takeTurn(database.prepared, again))?.claimed).toHaveLength(4);
  const handedOut = (fence: number) =>
    sql`update delivery set fence = ${fence} where campaign_id = ${campaignId} and seq = 1`.execute(db);
  await handedOut(request.fence);
  const misled: Finished = { seq: 1, to: "sent", at: Date.now() };
  await takeTurn(database.prepared, { ...again, finished: [misled], want: 0 });
  expect((await readLedger(db, campaignId)).rows).toEqual([6, 4, 0, 0, 0, 0, 0, 0, 0, 0]);
  await handedOut(again.fence);
  const unsent = async (fence: number) => {
    const outcomes = new OutcomeBuffer(systemClock, fence);
    const clean = { error: null, attempts: 0, ambiguous: false, delayMs: 0 };
    outcomes.add(campaignId, accountId, { seq: 0, to: "waiting", at: Date.now(), ...clean });
    const [unrecorded] = outcomes.proven();
    return db
      .transaction()
      .execute((tx) => settle(tx, campaignId, unrecorded?.moves ?? [], unrecorded?.options));
  };
  expect(await unsent(request.fence)).toBe(0);
  expect(await unsent(again.fence)).toBe(1);
  expect((await readLedger(db, campaignId)).counters).toEqual([6, 3, 1, 0, 0, 0, 0, 0, 0, 0]);
});

test("a receipt that comes before the outcome is recorded wins, and is counted once", async () => {
  const accountId = await makeAccount(db);
  const connectionId = await makeConnection(db, accountId);
  const campaignId = await makeCampaign(db, accountId, { people: 3, connectionId });
  await startNext(database);
  const taken = await acquireConnection(db, connectionId, randomUUID(), "resend");
  const request = {
    connectionId,
    fence: taken?.fence ?? 0,
    campaignId,
    finished: [],
    want: 3,
    from: "cursor" as const,
    lowestInFlightSeq: null,
  };
  await takeTurn(database.prepared, request);
  await db
    .transaction()
    .execute((tx) => settle(tx, campaignId, [{ seq: 1, to: DELIVERY.read, at: new Date() }]));
  const sent: Finished[] = [0, 1, 2].map((seq) => ({ seq, to: "sent", at: Date.now() }));
  const answer = await takeTurn(database.prepared, { ...request, finished: sent, want: 0 });
  expect(answer?.status).toBe("ended");
  const ledger = await readLedger(db, campaignId);
  expect(ledger.rows).toEqual([0, 0, 0, 0, 0, 0, 0, 2, 0, 1]);
  expect(ledger.rows).toEqual(ledger.counters);
  const day = await sql<{
    accepted: number;
    read: number;
    delivered: number;
  }>`select accepted, read, delivered from campaign_day
    where campaign_id = ${campaignId}`.execute(db);
  expect(day.rows).toEqual([{ accepted: 3, read: 1, delivered: 1 }]);
});

test("each person handed out comes with what is their own, whatever their name holds", async () => {
  const accountId = await makeAccount(db);
  const connectionId = await makeConnection(db, accountId);
  const campaignId = await makeCampaign(db, accountId, { people: 4, connectionId });
  await startNext(database);
  const taken = await acquireConnection(db, connectionId, randomUUID(), "resend");
  const people: Claimed[] = [
    {
      seq: 0,
      phone: "999999999999999",
      name: 'Zé "Pão", {a,b}',
      tries: 0,
      ambiguous: false,
      generation: 3,
      values: { pet: 'a "b", {c}' },
    },
    { seq: 1, phone: "5511900000001", name: "", tries: 2, ambiguous: true, generation: 0, values: null },
    {
      seq: 2,
      phone: "5511900000002",
      name: "NULL",
      tries: 1,
      ambiguous: false,
      generation: 15,
      values: null,
    },
    {
      seq: 3,
      phone: "12025550123",
      name: "\\ 😀\n\u2028",
      tries: 0,
      ambiguous: true,
      generation: 1,
      values: { pet: "" },
    },
  ];
  for (const { seq, phone, name, tries, ambiguous, generation, values } of people) {
    await sql`update delivery set phone = ${phone}::bigint, name = ${name}, tries = ${tries}, ambiguous = ${ambiguous},
      resend_number = ${generation}, vars = ${values && JSON.stringify(values)}::jsonb where campaign_id = ${campaignId} and seq = ${seq}`.execute(
      db,
    );
  }
  const request = {
    connectionId,
    fence: taken?.fence ?? 0,
    campaignId,
    finished: [],
    lowestInFlightSeq: null,
  };
  const answer = await takeTurn(database.prepared, { ...request, want: 4, from: "cursor" });
  expect(answer).toEqual({
    status: "sending",
    total: 4,
    cursor: 4,
    held: false,
    sending: 4,
    waiting: 0,
    claimed: people,
  });
  const lateTurn = await takeTurn(database.prepared, { ...request, want: 4, from: "cursor" });
  expect(lateTurn?.claimed).toEqual([]);
});
