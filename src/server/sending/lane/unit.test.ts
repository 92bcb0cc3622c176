import { sql } from "kysely";
import { expect, test } from "vitest";
import { testDatabase } from "../../../../tests/support/database.ts";
import { laneLab } from "../../../../tests/support/lane-lab.ts";
import { partsLeft, planNumber, readLedger } from "../../../../tests/support/sending.ts";
import { DELIVERY } from "../../../domain/delivery.ts";
import { decodeMessageId, encodeMessageId } from "../../../domain/message-id.ts";
import type { Outcome, WireMessage } from "../../transports/transport.ts";
import { startNext } from "../campaigns/audience.ts";
import { cancelCampaign, createResend, pauseCampaign, resumeCampaign } from "../campaigns/campaign-status.ts";
import { sweepCancelled } from "../campaigns/campaign-sweeps.ts";
import { actOnDelivery } from "../doubts/delivery-actions.ts";
import { settleReceipts } from "../receipts/receipts.ts";

const { db, database } = await testDatabase();
const { arrange } = laneLab({ db, database });

type It = Awaited<ReturnType<typeof arrange>>;

const accepted = ({ messageId }: WireMessage): Outcome => ({
  kind: "accepted",
  providerId: messageId,
  at: Date.now(),
});
const REFUSED: Outcome = { kind: "refused", code: "wa_479", passing: false };
const DOWN: Outcome = { kind: "stop", cause: "rate_limited", retryAt: null };
const DOUBT: Outcome = { kind: "ambiguous", reason: "no_ack" };

/** Parts as they were written to the wire, by seq. */
const written = ({ phone, messageKey }: It) => {
  const refs = phone.frames.flatMap(({ messageId }) => decodeMessageId(messageKey, messageId) ?? []);
  const bySeq = Map.groupBy(refs, ({ seq }) => seq);
  return [...bySeq].toSorted(([a], [b]) => a - b).map(([, some]) => some.map(({ part }) => part));
};

const nonceOf = async (campaignId: number): Promise<number> => {
  const { rows } = await sql<{ nonce: number }>`select nonce from campaign where id = ${campaignId}`.execute(
    db,
  );
  return rows[0]?.nonce ?? -1;
};

const person = async (campaignId: number, seq = 0) => {
  const { rows } = await sql<{ status: number; error: string | null; ambiguous: boolean; tries: number }>`
    select status, error, ambiguous, tries from delivery where campaign_id = ${campaignId} and seq = ${seq}`.execute(
    db,
  );
  return rows[0];
};

test("each person gets all messages in order: text first, then the files", async () => {
  const it = await arrange({ people: 3, more: 2 });
  await it.run();
  await it.finishes();
  expect(written(it)).toEqual([
    [0, 1, 2],
    [0, 1, 2],
    [0, 1, 2],
  ]);
  expect(it.phone.frames.slice(0, 3).map(({ text, hasAttachment }) => [text, hasAttachment])).toEqual([
    ["Oi, Pessoa 0!", false],
    ["", true],
    ["", true],
  ]);
  expect((await it.ledger()).rows[DELIVERY.sent]).toBe(3);
});

test("the messages of one person take one slot of the pace and follow each other at once", async () => {
  const at: number[] = [];
  const it: It = await arrange({
    people: 2,
    more: 1,
    intervalS: 60,
    answer: (message) => {
      at.push(it.clock.monotonic());
      return accepted(message);
    },
  });
  await it.run();
  await it.finishes();
  const [first = 0, second = 0, third = 0, fourth = 0] = at;
  expect(second - first).toBeLessThan(5_000);
  expect(third - first).toBeGreaterThan(55_000);
  expect(third - first).toBeLessThan(65_000);
  expect(fourth - third).toBeLessThan(5_000);
});

test("messages of one person that outlast the interval take one slot all the same", async () => {
  const at: number[] = [];
  const it: It = await arrange({
    people: 2,
    more: 1,
    intervalS: 60,
    answer: (message) => {
      at.push(it.clock.monotonic());
      if (at.length === 1) it.clock.advance(61_000);
      return accepted(message);
    },
  });
  await it.run();
  await it.finishes();
  const [first = 0, , third = 0] = at;
  expect(third - first).toBeLessThan(90_000);
});

test("a number's plan counts one conversation for all messages of a person, also after a break between them", async () => {
  const it = await arrange({ people: 2, more: 2, answer: (one, nth) => (nth === 2 ? DOWN : accepted(one)) });
  await planNumber(db, it.connectionId);
  await it.run();
  await it.finishes();
  const { rows } = await sql`select from cold_message where connection_id = ${it.connectionId}`.execute(db);
  expect(rows).toHaveLength(2);
});

test("after a stop between two messages the person goes on at the next, and nothing leaves twice", async () => {
  const it = await arrange({ people: 1, more: 2, answer: (one, nth) => (nth === 2 ? DOWN : accepted(one)) });
  await it.run();
  await it.until(async () => it.phone.frames.length === 2);
  await it.until(async () => (await person(it.campaignId))?.status === DELIVERY.waiting);
  expect(await person(it.campaignId)).toMatchObject({ ambiguous: false, tries: 0 });
  await it.finishes();
  expect(written(it)).toEqual([[0, 1, 1, 2]]);
});

test("a refused later message ends in its error; «Enviar o que falta» sends only the rest, a resend leaves the person out", async () => {
  const it = await arrange({
    people: 1,
    more: 2,
    answer: (one, nth) => (nth === 2 ? REFUSED : accepted(one)),
  });
  await it.run();
  await it.finishes();
  expect(await person(it.campaignId)).toMatchObject({ status: DELIVERY.error, error: "wa_479" });
  expect(await partsLeft(db, it.campaignId)).toEqual([1]);
  await expect(createResend(it.owner, it.campaignId)).rejects.toThrow("campaign_nothing_to_resend");
  await actOnDelivery(it.owner, it.campaignId, 0, "resend");
  await it.finishes();
  expect(written(it)).toEqual([[0, 1, 1, 2]]);
  expect((await person(it.campaignId))?.status).toBe(DELIVERY.sent);
});

test("a first message that is refused is an ordinary failure: a resend reaches the person with all messages", async () => {
  const it = await arrange({
    people: 1,
    more: 1,
    answer: (one, nth) => (nth === 1 ? REFUSED : accepted(one)),
  });
  const lane = await it.run();
  await it.finishes();
  await expect(actOnDelivery(it.owner, it.campaignId, 0, "resend")).rejects.toThrow(
    "delivery_already_resolved",
  );
  const resend = await createResend(it.owner, it.campaignId);
  await startNext(database);
  lane.wake();
  await it.until(async () => (await readLedger(db, resend)).status === "ended");
  expect((await readLedger(db, resend)).rows[DELIVERY.sent]).toBe(1);
  expect(it.phone.frames.map(({ hasAttachment }) => hasAttachment)).toEqual([false, false, true]);
});

test.each(["pause", "cancel"] as const)(
  "a %s between two messages does not keep back the others",
  async (act) => {
    const it: It = await arrange({
      people: 2,
      more: 2,
      answer: async (one, nth) => {
        if (nth === 1) {
          await (act === "pause" ? pauseCampaign : cancelCampaign)(it.owner, it.campaignId);
          lane.wake();
        }
        return accepted(one);
      },
    });
    const lane = await it.run();
    await it.until(async () => (await person(it.campaignId))?.status === DELIVERY.sent);
    expect(written(it)).toEqual([[0, 1, 2]]);
    if (act === "cancel") await sweepCancelled(db);
    expect((await it.ledger()).status).toBe(act === "pause" ? "paused" : "cancelled");
  },
);

test("an opt-out between two messages keeps back the others, and says how many left", async () => {
  const it: It = await arrange({
    people: 1,
    more: 2,
    answer: (one, nth) => {
      if (nth === 1) lane.optOut("5511900000000", "opted_out");
      return accepted(one);
    },
  });
  const lane = await it.run();
  await it.until(async () => (await person(it.campaignId))?.status === DELIVERY.skipped);
  expect(await person(it.campaignId)).toMatchObject({ error: "opted_out" });
  expect(written(it)).toEqual([[0]]);
  expect(await partsLeft(db, it.campaignId)).toEqual([1]);
});

test("a cancel of people between two messages leaves them out with what they got", async () => {
  const it = await arrange({ people: 1, more: 1, answer: (one, nth) => (nth === 1 ? accepted(one) : DOWN) });
  await it.run();
  await it.until(async () => (await person(it.campaignId))?.status === DELIVERY.waiting);
  await cancelCampaign(it.owner, it.campaignId);
  await sweepCancelled(db);
  expect(await person(it.campaignId)).toMatchObject({ status: DELIVERY.skipped, error: "cancelled" });
  expect(await partsLeft(db, it.campaignId)).toEqual([1]);
});

test("the next owner goes on at the message that was on the wire, under its id", async () => {
  const never = new Promise<Outcome>(() => undefined);
  const it = await arrange({ people: 1, more: 2, answer: (one, nth) => (nth === 2 ? never : accepted(one)) });
  await it.run();
  await it.until(() => it.phone.frames.length === 2);
  await it.run();
  await it.finishes();
  expect(written(it)).toEqual([[0, 1, 1, 2]]);
  const ids = it.phone.frames.map(({ messageId }) => messageId);
  expect(ids[2]).toBe(ids[1]);
  expect(await person(it.campaignId)).toMatchObject({ status: DELIVERY.sent });
});

test("what a lost owner's message proves is kept, but it writes no further", async () => {
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const it = await arrange({
    people: 1,
    more: 1,
    answer: async (one, nth) => {
      if (nth === 1) await held;
      return accepted(one);
    },
  });
  await it.run();
  await it.until(() => it.phone.frames.length === 1);
  await sql`update delivery set fence = fence + 1 where campaign_id = ${it.campaignId}`.execute(db);
  release();
  await it.until(async () => (await partsLeft(db, it.campaignId))[0] === 1);
  await it.until(async () => !it.waitsForDatabase());
  expect(written(it)).toEqual([[0]]);
});

test("a doubt about a later message stays about it: its receipt lets the rest follow", async () => {
  const it = await arrange({
    people: 1,
    more: 2,
    answer: (one, nth) => (nth > 1 && nth < 8 ? DOUBT : accepted(one)),
  });
  await it.run();
  await it.until(async () => (await it.ledger()).rows[DELIVERY.uncertain] === 1);
  expect(written(it)).toEqual([[0, 1, 1, 1, 1, 1, 1]]);
  await sql`update campaign set status = 'sending', ended_at = null where id = ${it.campaignId}`.execute(db);
  const messageId = encodeMessageId(it.messageKey, {
    nonce: await nonceOf(it.campaignId),
    seq: 0,
    generation: 0,
    part: 1,
  });
  await settleReceipts(db, it.messageKey, [{ messageId, status: "delivered", at: new Date() }]);
  expect(await person(it.campaignId)).toMatchObject({ status: DELIVERY.waiting, ambiguous: false });
  await it.finishes();
  expect(written(it)[0]?.at(-1)).toBe(2);
  expect(written(it)[0]?.filter((part) => part === 2)).toHaveLength(1);
});

test("«Reenviar mesmo assim» repeats the doubtful message under a new id, never those before it", async () => {
  const it = await arrange({
    people: 1,
    more: 2,
    answer: (one, nth) => (nth > 1 && nth < 8 ? DOUBT : accepted(one)),
  });
  await it.run();
  await it.until(async () => (await it.ledger()).rows[DELIVERY.uncertain] === 1);
  await actOnDelivery(it.owner, it.campaignId, 0, "resend");
  await it.finishes();
  expect(written(it)[0]?.slice(-2)).toEqual([1, 2]);
  expect(it.phone.frames.filter(({ text }) => text !== "")).toHaveLength(1);
  expect(await person(it.campaignId)).toMatchObject({ status: DELIVERY.sent });
});

test("in a campaign that is over a late receipt shows what is missing, and the rest can be sent", async () => {
  const it = await arrange({
    people: 1,
    more: 2,
    answer: (one, nth) => (nth > 1 && nth < 8 ? DOUBT : accepted(one)),
  });
  await it.run();
  await it.finishes();
  const messageId = encodeMessageId(it.messageKey, {
    nonce: await nonceOf(it.campaignId),
    seq: 0,
    generation: 0,
    part: 1,
  });
  await settleReceipts(db, it.messageKey, [{ messageId, status: "accepted", at: new Date() }]);
  expect(await person(it.campaignId)).toMatchObject({ status: DELIVERY.error, error: "incomplete" });
  await actOnDelivery(it.owner, it.campaignId, 0, "resend");
  await it.finishes();
  expect(written(it)[0]?.at(-1)).toBe(2);
  expect((await it.ledger()).rows).toEqual((await it.ledger()).counters);
});

test("a person is delivered once every message is, and read once every message is", async () => {
  const it = await arrange({ people: 1, more: 2 });
  await it.run();
  await it.finishes();
  const nonce = await nonceOf(it.campaignId);
  const tell = (part: number, status: "delivered" | "read") =>
    settleReceipts(db, it.messageKey, [
      {
        messageId: encodeMessageId(it.messageKey, { nonce, seq: 0, generation: 0, part }),
        status,
        at: new Date(),
      },
    ]);
  await tell(2, "read");
  await tell(0, "delivered");
  expect((await person(it.campaignId))?.status).toBe(DELIVERY.sent);
  await tell(1, "delivered");
  expect((await person(it.campaignId))?.status).toBe(DELIVERY.delivered);
  await tell(0, "read");
  await tell(1, "read");
  expect((await person(it.campaignId))?.status).toBe(DELIVERY.read);
  const { rows, counters } = await it.ledger();
  expect(rows).toEqual(counters);
});

test("a passing refusal of a later message is tried again after a pause", async () => {
  const busy: Outcome = { kind: "refused", code: "busy", passing: true };
  const it = await arrange({ people: 1, more: 1, answer: (one, nth) => (nth === 2 ? busy : accepted(one)) });
  await it.run();
  await it.finishes();
  expect(written(it)).toEqual([[0, 1, 1]]);
});

test("a paused campaign goes on between two messages where it was left", async () => {
  const it = await arrange({ people: 1, more: 1, answer: (one, nth) => (nth === 2 ? DOWN : accepted(one)) });
  const lane = await it.run();
  await it.until(async () => (await person(it.campaignId))?.status === DELIVERY.waiting);
  await pauseCampaign(it.owner, it.campaignId);
  lane.wake();
  await resumeCampaign(it.owner, it.campaignId);
  lane.wake();
  await it.finishes();
  expect(written(it)).toEqual([[0, 1, 1]]);
});
