import { randomUUID } from "node:crypto";
import fc from "fast-check";
import { sql } from "kysely";
import { beforeEach, expect, test } from "vitest";
import { testDatabase } from "../../../../tests/support/database.ts";
import { outgoingOf } from "../../../../tests/support/scripted-gateway.ts";
import { makeAccount, makeCampaign, makeConnection, readLedger } from "../../../../tests/support/sending.ts";
import { unhurried, untilWaiting } from "../../../../tests/support/waiting.ts";
import { DELIVERY } from "../../../domain/delivery.ts";
import { ownerOf } from "../../db/owner.ts";
import type { Receipt } from "../../transports/transport.ts";
import { startNext } from "../campaigns/audience.ts";
import { actOnDelivery } from "../doubts/delivery-actions.ts";
import { recordOutgoing } from "../doubts/outgoing-messages.ts";
import { usageByMonth } from "../ledger/month-usage.ts";
import { LANE_TIMES } from "../ledger/timing.ts";
import { type Finished, takeTurn } from "../ledger/turn.ts";
import { enqueue } from "../outbox/outbox.ts";
import { acquireConnection } from "../ownership/acquire.ts";
import { settleKnown, settleProviderReceipts, storeAccepted } from "./provider-messages.ts";
import { joinReceipts, sweepReceipts } from "./receipt-inbox.ts";

const { db, database } = await testDatabase();

let accountId = "";
let connectionId = 0;
let campaignId = 0;
let fence = 0;

beforeEach(async () => {
  accountId = await makeAccount(db);
  connectionId = await makeConnection(db, accountId, "instance");
  campaignId = await makeCampaign(db, accountId, { people: 40, connectionId });
  await startNext(database);
  fence = (await acquireConnection(db, connectionId, randomUUID(), "resend"))?.fence ?? 0;
  await turn([], 40);
});

const turn = (finished: Parameters<typeof takeTurn>[1]["finished"], want: number) =>
  takeTurn(database.prepared, {
    connectionId,
    fence,
    campaignId,
    finished,
    want,
    from: "cursor",
    lowestInFlightSeq: 0,
  });

const accept = (seq: number, generation = 0) =>
  storeAccepted(database.prepared, connectionId, [
    { owner: { campaignId, seq, generation }, providerId: `id-${seq}-${generation}`, at: Date.now() },
  ]);

const doubtful = (seq: number): Finished => ({
  seq,
  at: Date.now(),
  error: "gateway_timeout",
  attempts: 1,
  ambiguous: true,
  delayMs: 0,
  to: "uncertain",
});

const receipt = (seq: number, status: Receipt["status"], code?: string): Receipt => ({
  messageId: `id-${seq}-0`,
  status,
  at: new Date(),
  ...(code === undefined ? {} : { code }),
});

const stateOf = async (seq: number) => {
  const { rows } = await sql<{ status: number; error: string | null }>`select status, error from delivery
    where campaign_id = ${campaignId} and seq = ${seq}`.execute(db);
  return rows[0];
};

const waiting = async () =>
  (
    await sql<{ id: string }>`select provider_id as id from receipt_inbox
    where connection_id = ${connectionId} order by provider_id`.execute(db)
  ).rows.map(({ id }) => id);

async function sweep() {
  await sql`update receipt_inbox set next_at = now()`.execute(db);
  return sweepReceipts(db, LANE_TIMES);
}

test("F30 GW01 outcome, id and receipts in any order end in one state: sent needs WhatsApp's confirmation @decision 33", async () => {
  type Step = "id" | "outcome" | "sweep" | Receipt["status"];
  const steps = fc.shuffledSubarray<Step>(["accepted", "delivered", "read", "sweep"]).chain((reported) =>
    fc.tuple(fc.nat({ max: reported.length }), fc.nat({ max: reported.length + 1 })).map(([id, after]) => {
      const all = reported.toSpliced(id, 0, "id");
      return all.toSpliced(Math.max(after, all.indexOf("id") + 1), 0, "outcome");
    }),
  );
  let next = 0;
  await fc.assert(
    fc.asyncProperty(steps, async (all) => {
      const seq = next++;
      for (const step of all) {
        if (step === "id") await joinReceipts(db, connectionId, await accept(seq));
        else if (step === "outcome") await turn([{ seq, to: "accepted", at: Date.now() }], 0);
        else if (step === "sweep") await sweep();
        else await settleProviderReceipts(db, connectionId, [receipt(seq, step)]);
      }
      const reached = all.includes("read")
        ? DELIVERY.read
        : all.includes("delivered")
          ? DELIVERY.delivered
          : all.includes("accepted")
            ? DELIVERY.sent
            : DELIVERY.accepted;
      expect((await stateOf(seq))?.status).toBe(reached);
    }),
    { numRuns: 40 },
  );
  expect(await waiting()).toEqual([]);
  const { rows, counters } = await readLedger(db, campaignId);
  expect(rows).toEqual(counters);
  const unconfirmed = rows[DELIVERY.accepted] ?? 0;
  expect(unconfirmed).toBeGreaterThan(0);
  const days =
    await sql`select accepted, unconfirmed, failed from campaign_day where campaign_id = ${campaignId}`.execute(
      db,
    );
  expect(days.rows).toEqual([{ accepted: 40 - unconfirmed, unconfirmed, failed: 0 }]);
});

test("a refusal after the gateway's 201 is an error, taken back by a delivery and by nothing less", async () => {
  await accept(0);
  await turn([{ seq: 0, to: "sent", at: Date.now() }], 0);
  const changed = await settleProviderReceipts(db, connectionId, [receipt(0, "error", "wa_463")]);
  expect(changed).toEqual([{ accountId, campaignId }]);
  expect(await stateOf(0)).toEqual({ status: DELIVERY.error, error: "wa_463" });
  const { rows } =
    await sql`select accepted, failed from campaign_day where campaign_id = ${campaignId}`.execute(db);
  expect(rows).toEqual([{ accepted: 0, failed: 1 }]);
  await settleProviderReceipts(db, connectionId, [receipt(0, "accepted")]);
  expect((await stateOf(0))?.status).toBe(DELIVERY.error);
  await settleProviderReceipts(db, connectionId, [receipt(0, "delivered"), receipt(0, "error")]);
  expect(await stateOf(0)).toEqual({ status: DELIVERY.delivered, error: null });
});

test("a refusal that overtakes the record of its message waits for it", async () => {
  await settleProviderReceipts(db, connectionId, [receipt(1, "error")]);
  await accept(1);
  await sweep();
  expect((await stateOf(1))?.status).toBe(DELIVERY.sending);
  expect(await waiting()).toEqual(["id-1-0"]);
  await turn([{ seq: 1, to: "sent", at: Date.now() }], 0);
  await sweep();
  expect(await stateOf(1)).toEqual({ status: DELIVERY.error, error: "wa_refused" });
  expect(await waiting()).toEqual([]);
});

test("a refusal of a message that a human has sent again since says nothing about the new one", async () => {
  await accept(2);
  await sql`update delivery set resend_number = 1 where campaign_id = ${campaignId} and seq = 2`.execute(db);
  await accept(2, 1);
  await turn([{ seq: 2, to: "sent", at: Date.now() }], 0);
  await settleProviderReceipts(db, connectionId, [receipt(2, "error")]);
  expect((await stateOf(2))?.status).toBe(DELIVERY.sent);
});

test("a refusal of what a human sent again leaves the doubt about the first message to a human", async () => {
  await turn([doubtful(3)], 0);
  await actOnDelivery(ownerOf(db, accountId), campaignId, 3, "resend");
  const again = { connectionId, fence, campaignId, finished: [], want: 1, lowestInFlightSeq: 0 } as const;
  expect((await takeTurn(database.prepared, { ...again, from: "returned" }))?.claimed).toHaveLength(1);
  await accept(3, 1);
  await turn([{ seq: 3, to: "sent", at: Date.now() }], 0);
  const refusal = { ...receipt(3, "error", "wa_463"), messageId: "id-3-1" };
  await settleProviderReceipts(db, connectionId, [refusal]);
  expect(await stateOf(3)).toEqual({ status: DELIVERY.uncertain, error: "wa_463" });
  const ledger = await readLedger(db, campaignId);
  expect(ledger.counters).toEqual(ledger.rows);
  const { rows } =
    await sql`select accepted, failed, uncertain from campaign_day where campaign_id = ${campaignId}`.execute(
      db,
    );
  expect(rows).toEqual([{ accepted: 0, failed: 0, uncertain: 1 }]);
  await settleProviderReceipts(db, connectionId, [refusal]);
  expect(await waiting()).toEqual([]);
  await actOnDelivery(ownerOf(db, accountId), campaignId, 3, "mark_sent");
  await sweep();
  expect((await stateOf(3))?.status).toBe(DELIVERY.sent);
  await settleProviderReceipts(db, connectionId, [refusal]);
  expect((await stateOf(3))?.status).toBe(DELIVERY.sent);
});

test("a refusal of a human's resend does not count as sent when its sending was first unknown", async () => {
  await turn([doubtful(4)], 0);
  await actOnDelivery(ownerOf(db, accountId), campaignId, 4, "resend");
  const again = { connectionId, fence, campaignId, finished: [], want: 1, lowestInFlightSeq: 0 } as const;
  await takeTurn(database.prepared, { ...again, from: "returned" });
  await turn([doubtful(4)], 0);
  await accept(4, 1);
  await settleKnown(db, connectionId);
  expect((await stateOf(4))?.status).toBe(DELIVERY.accepted);
  await settleProviderReceipts(db, connectionId, [{ ...receipt(4, "error"), messageId: "id-4-1" }]);
  await settleKnown(db, connectionId);
  expect(await stateOf(4)).toEqual({ status: DELIVERY.uncertain, error: "wa_refused" });
});

test("receipts of unknown messages wait ever longer and are dropped after a day", async () => {
  const reported = receipt(9_999, "delivered");
  await sql`create table waited (id bigint generated always as identity, s float8)`.execute(db);
  await sql`create function note_wait() returns trigger language plpgsql as $$ begin
    insert into waited (s) values (extract(epoch from new.next_at - now())); return null; end $$`.execute(db);
  await sql`create trigger note_wait after insert or update on receipt_inbox for each row
    when (new.next_at > now()) execute function note_wait()`.execute(db);
  await settleProviderReceipts(db, connectionId, [reported, reported]);
  const waits: number[] = [];
  for (let look = 0; look < 7; look++) {
    const { rows } = await sql<{ s: number }>`select s from waited order by id desc limit 1`.execute(db);
    waits.push(rows[0]?.s ?? -1);
    await sweep();
  }
  expect(waits).toEqual([1, 5, 30, 300, 3_600, 3_600, 3_600]);
  await sql`update receipt_inbox set received_at = now() - interval '25 hours'`.execute(db);
  await sweep();
  expect(await waiting()).toEqual([]);
});

test("receipts find messages of the outbox by the gateway's id", async () => {
  const owner = ownerOf(db, accountId);
  const { id } = await enqueue(owner, {
    connectionId,
    to: { jid: "120363000000000001@g.us" },
    text: "Aviso",
    attachmentId: null,
    idempotencyKey: null,
    origin: "chat",
  });
  const status = async () =>
    (await sql<{ status: number }>`select status from outbox where id = ${id}`.execute(db)).rows[0]?.status;
  await sql`update outbox set status = ${DELIVERY.sending} where id = ${id}`.execute(db);
  await settleProviderReceipts(db, connectionId, [{ ...receipt(0, "error"), messageId: "box" }]);
  const heard = await storeAccepted(database.prepared, connectionId, [
    { owner: { outboxId: id }, providerId: "box", at: Date.now() },
  ]);
  expect(heard).toEqual(["box"]);
  await joinReceipts(db, connectionId, heard);
  expect(await status()).toBe(DELIVERY.sending);
  await sql`update outbox set status = ${DELIVERY.sent} where id = ${id}`.execute(db);
  await sweep();
  expect(await status()).toBe(DELIVERY.error);
  await settleProviderReceipts(db, connectionId, [{ ...receipt(0, "accepted"), messageId: "box" }]);
  expect(await status()).toBe(DELIVERY.error);
  await settleProviderReceipts(db, connectionId, [{ ...receipt(0, "read"), messageId: "box" }]);
  expect(await status()).toBe(DELIVERY.read);
});

test("a single message counts in the month in which it was sent, whenever it is delivered and read", async () => {
  const owner = ownerOf(db, accountId);
  const { id } = await enqueue(owner, {
    connectionId,
    to: { phone: "5511988887777" },
    text: "Oi",
    attachmentId: null,
    idempotencyKey: null,
    origin: "api",
  });
  const sentAt = new Date("2026-11-30T15:00:00Z");
  await sql`update outbox set status = ${DELIVERY.sent}, at = ${sentAt} where id = ${id}`.execute(db);
  await storeAccepted(database.prepared, connectionId, [
    { owner: { outboxId: id }, providerId: "november", at: sentAt.getTime() },
  ]);
  const later = new Date("2026-12-02T12:00:00Z");
  const months = () => usageByMonth(owner, "America/Sao_Paulo", later);
  for (const status of ["delivered", "read"] as const) {
    await settleProviderReceipts(db, connectionId, [{ messageId: "november", status, at: later }]);
    expect(await months(), status).toEqual([{ month: "2026-11", campaigns: 0, single: 1 }]);
  }
});

test("an id keeps its first owner; an id without owner is not stored", async () => {
  await accept(3);
  await storeAccepted(database.prepared, connectionId, [
    { owner: { campaignId, seq: 4, generation: 0 }, providerId: "id-3-0", at: Date.now() },
  ]);
  await storeAccepted(database.prepared, connectionId + 1_000_000, [
    { owner: { campaignId, seq: 5, generation: 0 }, providerId: "gone", at: Date.now() },
  ]);
  const { rows } = await sql`select provider_id as id, seq from provider_message
    where campaign_id = ${campaignId}`.execute(db);
  expect(rows).toEqual([{ id: "id-3-0", seq: 3 }]);
});

test("ids stored while the same messages are reported wait in one order", async () => {
  const [a, b] = [`a-${connectionId}`, `b-${connectionId}`];
  const reported = [a, b].map((id) =>
    outgoingOf({ id, to: "5511900000000", text: "Oi", kind: "text", at: new Date() }),
  );
  await recordOutgoing(db, connectionId, reported);
  await unhurried(db, async (tx) => {
    const hold = (id: string) =>
      sql`update outgoing_webhook_message set received_at = now() where provider_id = ${id}`.execute(tx);
    await hold(a);
    const accepted = [b, a].map((providerId, seq) => ({
      owner: { campaignId, seq, generation: 0 },
      providerId,
      at: Date.now(),
    }));
    const stored = storeAccepted(database.prepared, connectionId, accepted);
    const ended = stored.then(
      () => null,
      (error: unknown) => error,
    );
    await untilWaiting(db);
    await hold(b);
    return { ended };
  }).then(async ({ ended }) => expect(await ended).toBeNull());
  const { rows } =
    await sql`select 1 from outgoing_webhook_message where connection_id = ${connectionId}`.execute(db);
  expect(rows).toEqual([]);
});
