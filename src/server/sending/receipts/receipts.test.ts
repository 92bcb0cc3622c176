import { randomBytes, randomUUID } from "node:crypto";
import fc from "fast-check";
import { sql } from "kysely";
import { expect, test } from "vitest";
import { testDatabase } from "../../../../tests/support/database.ts";
import { makeAccount, makeCampaign, makeConnection, readLedger } from "../../../../tests/support/sending.ts";
import { DELIVERY } from "../../../domain/delivery.ts";
import { decodeMessageId, encodeMessageId } from "../../../domain/message-id.ts";
import { ownerOf } from "../../db/owner.ts";
import type { Receipt } from "../../transports/transport.ts";
import { startNext } from "../campaigns/audience.ts";
import { takeTurn } from "../ledger/turn.ts";
import { enqueue, readOutbox } from "../outbox/outbox.ts";
import { acquireConnection } from "../ownership/acquire.ts";
import { settleReceipts } from "./receipts.ts";

const { db, database } = await testDatabase();
const KEY = Buffer.alloc(32, 9);
const RUNS = 80;

type Event = "outcome" | Receipt["status"];
const REACHES = { accepted: DELIVERY.sent, delivered: DELIVERY.delivered, read: DELIVERY.read } as const;

test("F30 receipts in any order, repeated, before and after our own record, end in the same state and are counted once", async () => {
  const accountId = await makeAccount(db);
  const connectionId = await makeConnection(db, accountId);
  const campaignId = await makeCampaign(db, accountId, { people: RUNS, connectionId });
  await startNext(database);
  const taken = await acquireConnection(db, connectionId, randomUUID(), "resend");
  const turn = {
    connectionId,
    fence: taken?.fence ?? 0,
    campaignId,
    finished: [],
    lowestInFlightSeq: 0,
    from: "cursor" as const,
  };
  await takeTurn(database.prepared, { ...turn, want: RUNS });
  const { rows } = await sql<{ nonce: number }>`select nonce from campaign where id = ${campaignId}`.execute(
    db,
  );
  const nonce = rows[0]?.nonce ?? 0;
  const expected = new Array<number>(10).fill(0);
  let next = 0;

  const events = fc.array(fc.constantFrom<Event>("accepted", "delivered", "read", "error"), { maxLength: 5 });
  const order = fc
    .tuple(events, fc.nat({ max: 5 }), fc.boolean())
    .map(([receipts, at, known]) => ({ all: receipts.toSpliced(at, 0, "outcome"), known }));
  await fc.assert(
    fc.asyncProperty(order, async ({ all, known }) => {
      const seq = next++;
      const messageId = encodeMessageId(KEY, { nonce, seq, generation: 0 });
      for (const event of all) {
        if (event === "outcome") {
          const doubt = { to: "waiting", error: null, attempts: 1, ambiguous: true, delayMs: 0 } as const;
          const one = { seq, at: Date.now(), ...(known ? { to: "sent" as const } : doubt) };
          await takeTurn(database.prepared, { ...turn, finished: [one], want: 0 });
        } else await settleReceipts(db, KEY, [{ messageId, status: event, at: new Date() }]);
      }
      const reached = all.map((event) => (event === "outcome" || event === "error" ? 0 : REACHES[event]));
      const state = Math.max(known ? DELIVERY.sent : DELIVERY.waiting, ...reached);
      expected[state] = (expected[state] ?? 0) + 1;
      const row = await sql<{ status: number }>`select status from delivery
        where campaign_id = ${campaignId} and seq = ${seq}`.execute(db);
      expect(row.rows[0]?.status).toBe(state);
    }),
    { numRuns: RUNS, seed: 30, endOnFailure: true },
  );

  const ledger = await readLedger(db, campaignId);
  expect(ledger.rows).toEqual(expected);
  expect(ledger.counters).toEqual(expected);
  const day =
    await sql`select sum(accepted)::int as accepted, sum(delivered)::int as delivered, sum(read)::int as read
    from campaign_day where campaign_id = ${campaignId}`.execute(db);
  const [, , , , , , , sent = 0, delivered = 0, read = 0] = expected;
  expect(day.rows).toEqual([{ accepted: sent + delivered + read, delivered: delivered + read, read }]);
});

test("what is heard of a message later does not change when it was sent", async () => {
  const accountId = await makeAccount(db);
  const connectionId = await makeConnection(db, accountId);
  const campaignId = await makeCampaign(db, accountId, { people: 1, connectionId });
  await startNext(database);
  const taken = await acquireConnection(db, connectionId, randomUUID(), "resend");
  const turn = {
    connectionId,
    fence: taken?.fence ?? 0,
    campaignId,
    lowestInFlightSeq: 0,
    from: "cursor" as const,
  };
  await takeTurn(database.prepared, { ...turn, finished: [], want: 1 });
  const sentAt = new Date("2026-03-02T13:00:00Z");
  const finished = [{ seq: 0, to: "sent" as const, at: sentAt.getTime() }];
  await takeTurn(database.prepared, { ...turn, finished, want: 0 });
  const { rows } = await sql<{ nonce: number }>`select nonce from campaign where id = ${campaignId}`.execute(
    db,
  );
  const messageId = encodeMessageId(KEY, { nonce: rows[0]?.nonce ?? 0, seq: 0, generation: 0 });
  for (const [status, hour] of [
    ["delivered", 15],
    ["read", 21],
  ] as const) {
    await settleReceipts(db, KEY, [{ messageId, status, at: new Date(Date.UTC(2026, 2, 2, hour)) }]);
    const row = await sql`select status, at from delivery where campaign_id = ${campaignId}`.execute(db);
    expect(row.rows).toEqual([{ status: REACHES[status], at: sentAt }]);
  }
});

test("a refusal among receipts does not keep the others from being applied", async () => {
  const accountId = await makeAccount(db);
  const connectionId = await makeConnection(db, accountId);
  const campaignId = await makeCampaign(db, accountId, { people: 2, connectionId });
  await startNext(database);
  const { rows } = await sql<{ nonce: number }>`select nonce from campaign where id = ${campaignId}`.execute(
    db,
  );
  const idOf = (seq: number) => encodeMessageId(KEY, { nonce: rows[0]?.nonce ?? 0, seq, generation: 0 });
  const at = new Date();
  await settleReceipts(db, KEY, [
    { messageId: idOf(0), status: "error", at },
    { messageId: idOf(1), status: "read", at },
  ]);
  expect((await readLedger(db, campaignId)).rows).toEqual([1, 0, 0, 0, 0, 0, 0, 0, 0, 1]);
});

test("receipts find a single message, also one whose id reads like a campaign's", async () => {
  const owner = ownerOf(db, await makeAccount(db));
  const connectionId = await makeConnection(db, owner.accountId);
  const draw = () => `3EB0${randomBytes(9).toString("hex").toUpperCase()}`;
  let alike = draw();
  while (decodeMessageId(KEY, alike) === null) alike = draw();
  let usual = draw();
  while (decodeMessageId(KEY, usual) !== null) usual = draw();
  for (const messageId of [alike, usual]) {
    const { id } = await enqueue(owner, {
      connectionId,
      to: { phone: "5511988887777" },
      text: "Oi",
      attachmentId: null,
      idempotencyKey: null,
      origin: "chat",
    });
    await sql`update outbox set message_id = ${messageId}, status = ${DELIVERY.sent}, at = now() where id = ${id}`.execute(
      db,
    );
    const state = async (...statuses: Receipt["status"][]) => {
      for (const status of statuses) await settleReceipts(db, KEY, [{ messageId, status, at: new Date(0) }]);
      return (await readOutbox(owner, id))?.state;
    };
    expect(await state("delivered")).toBe("delivered");
    expect(await state("read", "delivered", "accepted")).toBe("read");
    const { rows } = await sql`select at > '2000-01-01' as kept from outbox where id = ${id}`.execute(db);
    expect(rows, "when it was sent stays").toEqual([{ kept: true }]);
  }
});

test("a single message that was in doubt and turns out to be delivered keeps no error", async () => {
  const owner = ownerOf(db, await makeAccount(db));
  const connectionId = await makeConnection(db, owner.accountId);
  const { id } = await enqueue(owner, {
    connectionId,
    to: { phone: "5511988887777" },
    text: "Oi",
    attachmentId: null,
    idempotencyKey: null,
    origin: "api",
  });
  const { rows } = await sql<{
    messageId: string;
  }>`update outbox set status = ${DELIVERY.uncertain}, error = 'no_ack'
    where id = ${id} returning message_id as "messageId"`.execute(db);
  const receipt = { messageId: rows[0]?.messageId ?? "", status: "delivered", at: new Date() } as const;
  await settleReceipts(db, KEY, [receipt]);
  expect(await readOutbox(owner, id)).toEqual({ id, state: "delivered", error: null });
});

test("a batch of receipts that names a person several times moves them once, as far as they got", async () => {
  const accountId = await makeAccount(db);
  const connectionId = await makeConnection(db, accountId);
  const campaignId = await makeCampaign(db, accountId, { people: 2, connectionId });
  await startNext(database);
  const { rows } = await sql<{ nonce: number }>`select nonce from campaign where id = ${campaignId}`.execute(
    db,
  );
  const messageId = encodeMessageId(KEY, { nonce: rows[0]?.nonce ?? 0, seq: 1, generation: 0 });
  const at = new Date();
  const batch = (["read", "accepted", "delivered"] as const).map((status) => ({ messageId, status, at }));
  expect(await settleReceipts(db, KEY, batch)).toEqual([{ accountId, campaignId }]);
  expect(await settleReceipts(db, KEY, batch), "and again changes nothing").toEqual([]);
  const ledger = await readLedger(db, campaignId);
  expect(ledger.rows).toEqual([1, 0, 0, 0, 0, 0, 0, 0, 0, 1]);
  expect(ledger.counters).toEqual(ledger.rows);
});
