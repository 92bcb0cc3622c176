import { sql } from "kysely";
import { expect, test } from "vitest";
import { tickCampaigns } from "../../../../tests/support/campaign-clock.ts";
import { testDatabase } from "../../../../tests/support/database.ts";
import { laneLab } from "../../../../tests/support/lane-lab.ts";
import { makeAccount, makeCampaign, makeConnection, readLedger } from "../../../../tests/support/sending.ts";
import { unhurried, untilWaiting } from "../../../../tests/support/waiting.ts";
import { addressKey } from "../../../domain/chat-id.ts";
import { DELIVERY } from "../../../domain/delivery.ts";
import { ownerOf } from "../../db/owner.ts";
import { actOnDelivery } from "../doubts/delivery-actions.ts";
import type { Lane } from "../lane/lane.ts";
import { type Claimed, type TurnRequest, takeTurn } from "../ledger/turn.ts";
import { acquireConnection } from "../ownership/acquire.ts";
import { startNext } from "./audience.ts";
import { pauseCampaign, resumeCampaign } from "./campaign-status.ts";
import { holdCampaignsOf, holdOptOuts, optIn, optOut, sweepOptedOut } from "./opt-out.ts";

const { db, database } = await testDatabase();
const { arrange, open } = laneLab({ db, database });

const FIRST = 5_511_900_000_000;
const phoneOf = (seq: number) => String(FIRST + seq);
const reply = (phone: string) => ({ phone, source: "reply" as const, connectionId: null, text: "SAIR" });

async function started(people: number, kind: "device" | "instance" = "device") {
  const accountId = await makeAccount(db);
  const connectionId = await makeConnection(db, accountId, kind);
  const campaignId = await makeCampaign(db, accountId, { people, connectionId, firstPhone: FIRST });
  await startNext(database);
  return { accountId, connectionId, campaignId, owner: ownerOf(db, accountId) };
}

async function stateOf(campaignId: number, seq: number) {
  const { rows } = await sql<{ status: number; error: string | null }>`select status, error from delivery
    where campaign_id = ${campaignId} and seq = ${seq}`.execute(db);
  return rows[0];
}

function sumsUp(ledger: Awaited<ReturnType<typeof readLedger>>) {
  expect(ledger.counters).toEqual(ledger.rows);
  expect(ledger.counters.reduce((a, b) => a + b, 0)).toBe(ledger.total);
}

test("people opted out before the start are stored as skipped, and the counters agree", async () => {
  const accountId = await makeAccount(db);
  const connectionId = await makeConnection(db, accountId);
  await optOut(ownerOf(db, accountId), reply(phoneOf(2)));
  const campaignId = await makeCampaign(db, accountId, { people: 4, connectionId, firstPhone: FIRST });
  const other = await started(4);
  await startNext(database);
  expect(await stateOf(campaignId, 2)).toEqual({ status: DELIVERY.skipped, error: "opted_out" });
  expect((await readLedger(db, other.campaignId)).counters[DELIVERY.skipped]).toBe(0);
  const ledger = await readLedger(db, campaignId);
  expect(ledger.counters[DELIVERY.pending]).toBe(3);
  sumsUp(ledger);
});

test("F42 in 200 races of replies and turns, no one is claimed after the reply's commit", async () => {
  const RACES = 200;
  const { connectionId, campaignId, owner } = await started(RACES);
  const taken = await acquireConnection(db, connectionId, crypto.randomUUID(), "resend");
  const claimedAt = new Map<string, number>();
  const leftAt = new Map<string, number>();
  let clock = 0;

  let handedOut = false;

  async function turns(from: TurnRequest["from"]): Promise<void> {
    let inHand: Claimed[] = [];
    for (let over = false; !over; ) {
      const isLast = from === "cursor" || handedOut;
      const finished = inHand.map(({ seq }) =>
        seq % 2 === 0 || from !== "cursor"
          ? { seq, to: "sent" as const, at: Date.now() }
          : {
              seq,
              to: "waiting" as const,
              at: Date.now(),
              error: null,
              attempts: 0,
              ambiguous: false,
              delayMs: 0,
            },
      );
      const asked = ++clock;
      const answer = await takeTurn(database.prepared, {
        connectionId,
        fence: taken?.fence ?? 0,
        campaignId,
        finished,
        from,
        want: 3,
        lowestInFlightSeq: 0,
      });
      for (const { phone } of answer?.claimed ?? []) claimedAt.set(phone, asked);
      inHand = answer?.claimed ?? [];
      if (!answer) throw new Error("the lane was lost");
      over = isLast && inHand.length === 0 && answer.cursor >= answer.total;
    }
    if (from === "cursor") handedOut = true;
  }

  async function leave(): Promise<void> {
    for (let seq = 0; seq < RACES; seq++) {
      const phone = phoneOf((seq * 37) % RACES);
      await optOut(owner, reply(phone));
      leftAt.set(phone, ++clock);
    }
  }

  await Promise.all([turns("cursor"), turns("returned"), leave()]);
  const broken = [...claimedAt].filter(([phone, at]) => at > (leftAt.get(phone) ?? Number.POSITIVE_INFINITY));
  expect(broken).toEqual([]);
  while ((await sweepOptedOut(db)).length > 0);
  const ledger = await readLedger(db, campaignId);
  expect(ledger.counters[DELIVERY.sent]).toBeGreaterThan(0);
  expect(ledger.counters[DELIVERY.skipped]).toBeGreaterThan(0);
  expect((ledger.counters[DELIVERY.sent] ?? 0) + (ledger.counters[DELIVERY.skipped] ?? 0)).toBe(RACES);
  sumsUp(ledger);
});

test("an opt-out in flight is not claimed again: returned clean it is skipped, in doubt a human decides", async () => {
  const { connectionId, campaignId, owner } = await started(3);
  const taken = await acquireConnection(db, connectionId, crypto.randomUUID(), "resend");
  const request = { connectionId, fence: taken?.fence ?? 0, campaignId, lowestInFlightSeq: 0 };
  await takeTurn(database.prepared, { ...request, finished: [], want: 2, from: "cursor" });
  for (const seq of [0, 1]) expect(await optOut(owner, reply(phoneOf(seq)))).toMatchObject({ campaigns: 1 });
  const back = { to: "waiting" as const, at: Date.now(), error: null, attempts: 0, delayMs: 0 };
  const finished = [
    { ...back, seq: 0, ambiguous: false },
    { ...back, seq: 1, ambiguous: true },
  ];
  await takeTurn(database.prepared, { ...request, finished, want: 0, from: "cursor" });
  for (const from of ["retry", "returned", "doubt"] as const) {
    const answer = await takeTurn(database.prepared, { ...request, finished: [], want: 5, from });
    expect(answer?.claimed, from).toEqual([]);
  }
  await tickCampaigns(database, () => {});
  expect(await stateOf(campaignId, 0)).toEqual({ status: DELIVERY.skipped, error: "opted_out" });
  expect(await stateOf(campaignId, 1)).toEqual({ status: DELIVERY.uncertain, error: "opted_out" });
  sumsUp(await readLedger(db, campaignId));
  await expect(actOnDelivery(owner, campaignId, 1, "resend")).rejects.toMatchObject({
    code: "person_opted_out",
  });
  expect(await optIn(owner, phoneOf(1))).not.toBeNull();
  await actOnDelivery(owner, campaignId, 1, "resend");
  expect((await stateOf(campaignId, 1))?.status).toBe(DELIVERY.waiting);
});

test("after an opt-out a gateway's doubt is still searched for; a device's goes to a human at once", async () => {
  for (const [kind, state] of [
    ["instance", DELIVERY.waiting],
    ["device", DELIVERY.uncertain],
  ] as const) {
    const { campaignId, owner } = await started(2, kind);
    await sql`update delivery set status = ${DELIVERY.waiting}, ambiguous = true, not_before = now() + interval '15 minutes', at = now()
      where campaign_id = ${campaignId} and seq = 0`.execute(db);
    await sql`update campaign set cursor = 1, pending_count = 1, waiting_count = 1 where id = ${campaignId}`.execute(
      db,
    );
    await optOut(owner, reply(phoneOf(0)));
    while ((await sweepOptedOut(db)).length > 0);
    expect((await stateOf(campaignId, 0))?.status, kind).toBe(state);
    sumsUp(await readLedger(db, campaignId));
  }
});

test("who leaves while a campaign stands still is left out when it goes on", async () => {
  const { campaignId, owner } = await started(3);
  await pauseCampaign(owner, campaignId);
  await optOut(owner, reply(phoneOf(1)));
  await resumeCampaign(owner, campaignId);
  expect(await stateOf(campaignId, 1)).toEqual({ status: DELIVERY.skipped, error: "opted_out" });
  sumsUp(await readLedger(db, campaignId));
});

test("leaving twice is leaving once; a campaign whose last people leave ends", async () => {
  const { connectionId, campaignId, owner } = await started(2);
  const first = await optOut(owner, reply(phoneOf(0)));
  expect(first).toEqual({ at: expect.any(Date), campaigns: 1 });
  expect(await optOut(owner, reply(phoneOf(0)))).toBeNull();
  await optOut(owner, reply(phoneOf(1)));
  const taken = await acquireConnection(db, connectionId, crypto.randomUUID(), "resend");
  const request = { connectionId, fence: taken?.fence ?? 0, campaignId, lowestInFlightSeq: null };
  const answer = await takeTurn(database.prepared, { ...request, finished: [], want: 5, from: "cursor" });
  expect(answer).toMatchObject({ status: "ended", claimed: [] });
  sumsUp(await readLedger(db, campaignId));
});

test.each([
  ["notified at once", (lane: Lane, phone: string) => lane.optOut(phone, "opted_out"), 1],
  ["not notified, because the listening connection was lost", (lane: Lane) => lane.optOutsMissed(), 0],
])(
  "who leaves while their batch, their number or their message is prepared is not written to: %s",
  async (_, tell, immediate) => {
    const it = await arrange({
      people: 4,
      slots: 4,
      lookup: (phone) => {
        if (phone === phoneOf(1)) queueMicrotask(() => open[0]?.optOut(phone, "opted_out"));
        return { kind: "found", address: { jid: `${phone}@s.whatsapp.net`, lid: null } };
      },
      answer: ({ to, messageId, signal }) => {
        if (to.jid.startsWith(phoneOf(3))) open[0]?.optOut(phoneOf(3), "opted_out");
        if (signal?.aborted) return { kind: "stop", cause: "not_connected", retryAt: null };
        return { kind: "accepted", providerId: messageId, at: Date.now() };
      },
    });
    await sql`delete from wa_address`.execute(db);
    const inHand = async () => (await it.ledger()).rows[DELIVERY.sending];
    await unhurried(db, async (tx) => {
      await sql`lock table campaign_alias in share mode`.execute(tx);
      const lane = await it.run();
      await it.until(async () => (await inHand()) === 4);
      await optOut(it.owner, reply(phoneOf(0)));
      tell(lane, phoneOf(0));
    });
    await it.until(async () => ((await it.ledger()).rows[DELIVERY.sent] ?? 0) > 0);
    expect(await sweepOptedOut(db)).toHaveLength(1 - immediate);
    await it.finishes();
    const tried = it.phone.frames.map(({ to }) => to.jid).toSorted();
    expect(tried).toEqual([2, 3].map((seq) => `${phoneOf(seq)}@s.whatsapp.net`));
    const { rows } = await sql`select status, error from delivery where campaign_id = ${it.campaignId}
      order by seq`.execute(db);
    const left = { status: DELIVERY.skipped, error: "opted_out" };
    expect(rows).toEqual([left, left, { status: DELIVERY.sent, error: null }, left]);
    const ledger = await it.ledger();
    expect(ledger.counters).toEqual(ledger.rows);
  },
);

test("an opt-out without notification behind another person's message is not sent", async () => {
  const answer = Promise.withResolvers<void>();
  const it = await arrange({
    people: 3,
    answer: async ({ messageId }) => {
      await answer.promise;
      return { kind: "accepted", providerId: messageId, at: Date.now() };
    },
  });
  const lane = await it.run();
  await it.until(() => it.phone.frames.length === 1);
  expect((await it.ledger()).rows[DELIVERY.sending]).toBe(3);
  await optOut(it.owner, reply(phoneOf(2)));
  lane.optOutsMissed();
  answer.resolve();
  await it.until(async () => {
    await sweepOptedOut(db);
    return (await it.ledger()).status === "ended";
  });
  expect(it.phone.frames.map(({ to }) => to.jid)).toEqual([phoneOf(0), phoneOf(1)]);
});

test("an opt-out without notification during a look-up is not sent", async () => {
  const answer = Promise.withResolvers<void>();
  const it = await arrange({ people: 1 });
  it.phone.transport.lookup = async (phone) => {
    await answer.promise;
    return { kind: "found", address: { jid: `${phone}@s.whatsapp.net`, lid: null } };
  };
  await sql`delete from wa_address`.execute(db);
  const lane = await it.run();
  await it.until(async () => (await it.ledger()).rows[DELIVERY.sending] === 1);
  await optOut(it.owner, reply(phoneOf(0)));
  lane.optOutsMissed();
  answer.resolve();
  await it.until(async () => {
    await sweepOptedOut(db);
    return (await it.ledger()).status === "ended";
  });
  expect(it.phone.frames).toEqual([]);
  expect((await it.ledger()).rows[DELIVERY.skipped]).toBe(1);
});

test("27.2 an unread event of an address that only the look-up names keeps the message back until it is read", async () => {
  const lid = "900000000000001";
  const it = await arrange({ people: 1 });
  it.phone.transport.lookup = async (phone) => ({
    kind: "found",
    address: { jid: `${phone}@s.whatsapp.net`, lid: `${lid}@lid` },
  });
  await sql`delete from wa_address`.execute(db);
  const unread = await sql`with event as (
      insert into webhook_event (account_id, connection_id, key, body)
      values (${it.accountId}, ${it.connectionId}, 'unread', '{}') returning id)
    insert into unread_leaving (event_id, account_id, address)
    select id, ${it.accountId}, ${addressKey(`${lid}@lid`)} from event returning event_id`.execute(db);
  expect(unread.rows).toHaveLength(1);
  await it.run();
  await it.until(async () => (await it.ledger()).rows[DELIVERY.waiting] === 1);
  expect(it.phone.frames).toEqual([]);
  await sql`delete from webhook_event where connection_id = ${it.connectionId}`.execute(db);
  await it.finishes();
  expect(it.phone.frames).toHaveLength(1);
});

test("who left and may be written to again gets what is sent after that", async () => {
  const it = await arrange({ people: 1 });
  const lane = await it.run();
  await it.finishes();
  await optOut(it.owner, reply(phoneOf(0)));
  lane.optOut(phoneOf(0), "opted_out");
  expect(await optIn(it.owner, phoneOf(0))).not.toBeNull();
  const { accountId, connectionId } = it;
  const later = await makeCampaign(db, accountId, { people: 1, connectionId, text: "De volta" });
  await startNext(database);
  lane.wake();
  await it.until(async () => (await readLedger(db, later)).status === "ended");
  expect(it.phone.frames.map(({ text }) => text)).toEqual(["Oi, Pessoa 0!", "De volta"]);
});

test("several opt-outs at once wait for a resend and hold no campaign while waiting", async () => {
  const { accountId, campaignId, owner } = await started(2);
  const { held } = await unhurried(db, async (tx) => {
    await holdOptOuts(tx, accountId, "freeze");
    const leaving = db.transaction().execute(async (their) => {
      await holdCampaignsOf(owner.in(their), [phoneOf(0), phoneOf(1)]);
      for (const seq of [0, 1]) await optOut(owner.in(their), reply(phoneOf(seq)));
    });
    leaving.catch(() => undefined);
    await untilWaiting(db);
    await sql`select from campaign where id = ${campaignId} for no key update nowait`.execute(tx);
    return { held: leaving };
  });
  await held;
  expect((await readLedger(db, campaignId)).rows[DELIVERY.skipped]).toBe(2);
});

test("who leaves while a message that they may have already is to be sent again is left to a human", async () => {
  const answer = Promise.withResolvers<void>();
  const it = await arrange({
    people: 2,
    answer: async ({ messageId }) => {
      await answer.promise;
      return { kind: "accepted", providerId: messageId, at: Date.now() };
    },
  });
  await sql`update delivery set status = 2, ambiguous = true, tries = 1 where campaign_id = ${it.campaignId}`.execute(
    db,
  );
  await sql`update campaign set cursor = 2, pending_count = 0, waiting_count = 2 where id = ${it.campaignId}`.execute(
    db,
  );
  const lane = await it.run();
  await it.until(async () => (await it.ledger()).rows[DELIVERY.sending] === 2);
  const behind = it.phone.frames[0]?.to.jid === phoneOf(0) ? 1 : 0;
  await optOut(it.owner, reply(phoneOf(behind)));
  lane.optOut(phoneOf(behind), "opted_out");
  answer.resolve();
  await it.finishes();
  expect(it.phone.frames).toHaveLength(1);
  expect(await stateOf(it.campaignId, behind)).toEqual({ status: DELIVERY.uncertain, error: "opted_out" });
});
