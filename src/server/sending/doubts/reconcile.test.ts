import { sql } from "kysely";
import { beforeEach, expect, test } from "vitest";
import { testDatabase } from "../../../../tests/support/database.ts";
import { outgoingOf } from "../../../../tests/support/scripted-gateway.ts";
import { makeAccount, makeCampaign, makeConnection, readLedger } from "../../../../tests/support/sending.ts";
import { unhurried, untilWaiting } from "../../../../tests/support/waiting.ts";
import { DELIVERY, type DeliveryState } from "../../../domain/delivery.ts";
import { ownerOf } from "../../db/owner.ts";
import { startNext } from "../campaigns/audience.ts";
import { cancelCampaign } from "../campaigns/campaign-status.ts";
import { sweepCancelled } from "../campaigns/campaign-sweeps.ts";
import { enqueue, type OutboxTo, readOutbox } from "../outbox/outbox.ts";
import { settleProviderReceipts, storeAccepted } from "../receipts/provider-messages.ts";
import { actOnDelivery } from "./delivery-actions.ts";
import { purgeOutgoing, recordOutgoing } from "./outgoing-messages.ts";
import { connectionsInDoubt, reconcileConnection } from "./reconcile.ts";

const { db, database } = await testDatabase();
const PHONE = "5511900000000";
const MINUTE = 60_000;

let accountId = "";
let connectionId = 0;
beforeEach(async () => {
  accountId = await makeAccount(db);
  connectionId = await makeConnection(db, accountId, "instance");
  await sql`delete from gateway_address`.execute(db);
});

async function inState(
  state: DeliveryState,
  changes: { text?: string; agoMs?: number; phone?: string } = {},
) {
  const { text = "Promoção!", agoMs = 10_000, phone = PHONE } = changes;
  const campaignId = await makeCampaign(db, accountId, {
    people: 1,
    text,
    connectionId,
    firstPhone: Number(phone),
  });
  await startNext(database);
  const doubt = state === "waiting" || state === "uncertain";
  await sql`update delivery set status = ${DELIVERY[state]}, ambiguous = ${doubt}, tries = 1, error = 'gateway_cut',
      at = now() - ${agoMs} * interval '1 millisecond', not_before = now() + interval '15 minutes'
    where campaign_id = ${campaignId}`.execute(db);
  await sql`update campaign set cursor = 1, pending_count = 0, ${sql.raw(`${state}_count`)} = 1, claimed_at = now() where id = ${campaignId}`.execute(
    db,
  );
  return campaignId;
}

async function stateOf(campaignId: number): Promise<number> {
  const { rows, counters } = await readLedger(db, campaignId);
  expect(rows).toEqual(counters);
  return rows.indexOf(1);
}

const echo = (
  id: string,
  changes: { to?: string; text?: string; kind?: "text" | "image"; agoMs?: number } = {},
) => {
  const { to = PHONE, text = "Promoção!", kind = "text", agoMs = 9_000 } = changes;
  return outgoingOf({ id, to, text, kind, at: new Date(Date.now() - agoMs) });
};

async function hear(...echoes: ReturnType<typeof echo>[]) {
  await recordOutgoing(db, connectionId, echoes);
  return reconcileConnection(db, connectionId);
}

const store = (campaignId: number, providerId: string, generation = 0) =>
  storeAccepted(database.prepared, connectionId, [
    { owner: { campaignId, seq: 0, generation }, providerId, at: Date.now() },
  ]);

test("F8 the one echo of the one doubt settles it, and its receipts find it from then on", async () => {
  const campaignId = await inState("waiting");
  expect(await hear(echo("a"))).toContainEqual({ accountId, campaignId });
  expect(await stateOf(campaignId)).toBe(DELIVERY.accepted);
  await settleProviderReceipts(db, connectionId, [{ messageId: "a", status: "read", at: new Date() }]);
  expect(await stateOf(campaignId)).toBe(DELIVERY.read);
  expect((await readLedger(db, campaignId)).status).toBe("ended");
});

test("F8 receipts that came before it was known whose they are count at once", async () => {
  const campaignId = await inState("waiting");
  await settleProviderReceipts(db, connectionId, [{ messageId: "a", status: "delivered", at: new Date() }]);
  await hear(echo("a"));
  expect(await stateOf(campaignId)).toBe(DELIVERY.delivered);
});

test("F8 who was left to a human is found as well, for as long as echoes are kept", async () => {
  const campaignId = await inState("uncertain", { agoMs: 20 * MINUTE });
  await hear(echo("a", { agoMs: 20 * MINUTE }));
  expect(await stateOf(campaignId)).toBe(DELIVERY.accepted);
  await recordOutgoing(db, connectionId, [echo("b")]);
  await sql`update outgoing_webhook_message set received_at = now() - interval '3 days'`.execute(db);
  await purgeOutgoing(db);
  expect((await sql`select 1 from outgoing_webhook_message`.execute(db)).rows).toEqual([]);
});

test.each([
  ["another text", echo("a", { text: "Promoção" })],
  ["a picture with this caption", echo("a", { kind: "image" })],
  ["another person", echo("a", { to: "5511900000007" })],
  ["a message of another program, minutes before the attempt", echo("a", { agoMs: 3 * MINUTE })],
  ["what was typed on the phone", { ...echo("a"), viaApi: false }],
  ["a message to us", { ...echo("a"), fromMe: false }],
  ["another message that now says this", { ...echo("a"), edits: "former" }],
])("F8 no proof: %s", async (_, incoming) => {
  const campaignId = await inState("waiting");
  await hear(incoming);
  expect(await stateOf(campaignId)).toBe(DELIVERY.waiting);
});

test("F8 a message long after the attempt belongs to another attempt", async () => {
  const campaignId = await inState("waiting", { agoMs: 10 * MINUTE });
  await hear(echo("a"));
  expect(await stateOf(campaignId)).toBe(DELIVERY.waiting);
});

test("F8 two campaigns with one text in doubt about one person: one echo or two, both stay", async () => {
  const one = await inState("waiting");
  const two = await inState("waiting");
  await hear(echo("a"));
  await hear(echo("b"));
  expect([await stateOf(one), await stateOf(two)]).toEqual([DELIVERY.waiting, DELIVERY.waiting]);
  await store(one, "a");
  await reconcileConnection(db, connectionId);
  expect([await stateOf(one), await stateOf(two)]).toEqual([DELIVERY.accepted, DELIVERY.accepted]);
});

test("F8 an echo may belong to a message on the wire: it waits for the answer", async () => {
  const doubt = await inState("waiting");
  const wire = await inState("sending");
  await hear(echo("a"));
  expect(await stateOf(doubt)).toBe(DELIVERY.waiting);
  await store(wire, "a");
  await sql`update delivery set status = 7 where campaign_id = ${wire}`.execute(db);
  await sql`update campaign set sending_count = 0, sent_count = 1 where id = ${wire}`.execute(db);
  await reconcileConnection(db, connectionId);
  expect(await stateOf(doubt)).toBe(DELIVERY.waiting);
  await hear(echo("b"));
  expect(await stateOf(doubt)).toBe(DELIVERY.accepted);
});

async function single(state: DeliveryState, to: OutboxTo) {
  const { id } = await enqueue(ownerOf(db, accountId), {
    connectionId,
    to,
    text: "Promoção!",
    attachmentId: null,
    idempotencyKey: null,
    origin: "test",
  });
  const doubt = state === "waiting" || state === "uncertain";
  await sql`update outbox set status = ${DELIVERY[state]}, ambiguous = ${doubt}, fence = 0,
      at = case when ${doubt} then now() - interval '10 seconds' end, not_before = now() + interval '15 minutes'
    where id = ${id}`.execute(db);
  const read = () => readOutbox(ownerOf(db, accountId), id);
  const owned = (providerId: string) =>
    storeAccepted(database.prepared, connectionId, [{ owner: { outboxId: id }, providerId, at: Date.now() }]);
  return { read, owned };
}

test("F8 an echo may belong to a single message on the wire: it waits for the answer", async () => {
  const doubt = await inState("waiting");
  const wire = await single("sending", { phone: PHONE });
  await hear(echo("a"));
  expect(await stateOf(doubt)).toBe(DELIVERY.waiting);
  await wire.owned("a");
  await hear(echo("b"));
  expect(await stateOf(doubt)).toBe(DELIVERY.accepted);
});

test("F8 a direct message to a group is found; once known it competes with no other", async () => {
  const to = { jid: "120363025246125016@g.us" };
  const first = await single("uncertain", to);
  await hear(echo("a", { to: to.jid }));
  expect((await first.read())?.state).toBe("accepted");
  const second = await single("waiting", to);
  await hear(echo("b", { to: to.jid }));
  expect((await second.read())?.state).toBe("accepted");
});

test("F8 a doubt's time ends, but not that of a person waiting for a retry", async () => {
  const campaignId = await makeCampaign(db, accountId, { people: 2, connectionId });
  await startNext(database);
  await sql`update delivery set status = 2, ambiguous = seq = 0, tries = 1, at = now(), not_before = now() - interval '1 second'
    where campaign_id = ${campaignId}`.execute(db);
  await sql`update campaign set cursor = 2, pending_count = 0, waiting_count = 2, claimed_at = now() where id = ${campaignId}`.execute(
    db,
  );
  await reconcileConnection(db, connectionId);
  const { rows } =
    await sql`select status, error from delivery where campaign_id = ${campaignId} order by seq`.execute(db);
  expect(rows).toEqual([
    { status: DELIVERY.uncertain, error: "interrupted" },
    { status: DELIVERY.waiting, error: null },
  ]);
});

test("F8 F20 a doubt is left to a human no day later because the database's clock is put back one", async () => {
  const campaignId = await inState("waiting");
  const cancelled = await inState("waiting", { phone: "5511900000001" });
  await sql`update delivery set not_before = not_before + interval '1 day'
    where campaign_id in (${campaignId}, ${cancelled})`.execute(db);
  await cancelCampaign(ownerOf(db, accountId), cancelled);
  expect(await sweepCancelled(db)).toEqual([{ accountId, campaignId: cancelled }]);
  expect(await stateOf(cancelled)).toBe(DELIVERY.uncertain);
  expect(await connectionsInDoubt(db, [])).toContain(connectionId);
  await reconcileConnection(db, connectionId);
  expect(await stateOf(campaignId)).toBe(DELIVERY.uncertain);
});

test("F8 that the first message left says nothing about the second", async () => {
  const campaignId = await inState("uncertain", { agoMs: 16 * MINUTE });
  await actOnDelivery(ownerOf(db, accountId), campaignId, 0, "resend");
  await sql`update delivery set ambiguous = true, at = now(), not_before = now() + interval '15 minutes'
    where campaign_id = ${campaignId}`.execute(db);
  await store(campaignId, "first", 0);
  await reconcileConnection(db, connectionId);
  expect(await stateOf(campaignId)).toBe(DELIVERY.waiting);
});

test("F8 what a human decided may be the echo's as well", async () => {
  const decided = await inState("uncertain");
  const doubt = await inState("waiting");
  await actOnDelivery(ownerOf(db, accountId), decided, 0, "ignore");
  await hear(echo("a"));
  expect([await stateOf(decided), await stateOf(doubt)]).toEqual([DELIVERY.skipped, DELIVERY.waiting]);
});

test("F8 a person in doubt twice: the second attempt's echo may be the first one's", async () => {
  const campaignId = await inState("uncertain", { agoMs: 16 * MINUTE });
  await actOnDelivery(ownerOf(db, accountId), campaignId, 0, "resend");
  await sql`update delivery set ambiguous = true, at = now(), not_before = now() + interval '15 minutes'
    where campaign_id = ${campaignId}`.execute(db);
  await hear(echo("a", { agoMs: 0 }));
  expect(await stateOf(campaignId)).toBe(DELIVERY.waiting);
  await store(campaignId, "first", 0);
  await reconcileConnection(db, connectionId);
  expect(await stateOf(campaignId)).toBe(DELIVERY.accepted);
});

test("F8 a webhook message may be a person's first although their second, sent by hand, is known", async () => {
  const again = await inState("uncertain");
  const doubt = await inState("waiting");
  await actOnDelivery(ownerOf(db, accountId), again, 0, "resend");
  await store(again, "second", 1);
  await sql`update delivery set status = 7 where campaign_id = ${again}`.execute(db);
  await sql`update campaign set waiting_count = 0, sent_count = 1 where id = ${again}`.execute(db);
  await hear(echo("first"));
  expect([await stateOf(again), await stateOf(doubt)]).toEqual([DELIVERY.sent, DELIVERY.waiting]);
  await store(again, "first", 0);
  await hear(echo("b"));
  expect(await stateOf(doubt)).toBe(DELIVERY.accepted);
});

test("F8 a human who sends again before the echo comes is not overruled by it", async () => {
  const campaignId = await inState("uncertain", { agoMs: 16 * MINUTE });
  await actOnDelivery(ownerOf(db, accountId), campaignId, 0, "resend");
  await hear(echo("a", { agoMs: 16 * MINUTE }));
  const { rows } =
    await sql`select status, ambiguous, resend_number as generation, tries from delivery where campaign_id = ${campaignId}`.execute(
      db,
    );
  expect(rows).toEqual([{ status: DELIVERY.waiting, ambiguous: false, generation: 1, tries: 0 }]);
});

test("F8 nor is one who decides while the echo is being settled", async () => {
  const campaignId = await inState("uncertain");
  await recordOutgoing(db, connectionId, [echo("a")]);
  const looking = await unhurried(db, async (tx) => {
    await sql`select 1 from campaign where id = ${campaignId} for no key update`.execute(tx);
    const settled = reconcileConnection(db, connectionId);
    await untilWaiting(db);
    await sql`update delivery set status = 2, ambiguous = false, resend_number = 1 where campaign_id = ${campaignId}`.execute(
      tx,
    );
    await sql`update campaign set uncertain_count = 0, waiting_count = 1 where id = ${campaignId}`.execute(
      tx,
    );
    return { settled };
  });
  await looking.settled;
  expect(await stateOf(campaignId)).toBe(DELIVERY.waiting);
});

test("F8 whose answer is stored while its echo is being settled neither waits for the other without end", async () => {
  const campaignId = await inState("waiting");
  await recordOutgoing(db, connectionId, [echo("a")]);
  const { settled } = await unhurried(db, async (tx) => {
    const theirs = sql`connection_id = ${connectionId} and provider_id = 'a'`;
    await sql`select 1 from outgoing_webhook_message where ${theirs} for update`.execute(tx);
    const looking = reconcileConnection(db, connectionId);
    looking.catch(() => undefined);
    await untilWaiting(db);
    await sql`insert into provider_message (connection_id, provider_id, campaign_id, seq, resend_number)
      values (${connectionId}, 'a', ${campaignId}, 0, 0)`.execute(tx);
    await sql`delete from outgoing_webhook_message where ${theirs}`.execute(tx);
    return { settled: looking };
  });
  await settled;
  await reconcileConnection(db, connectionId);
  expect(await stateOf(campaignId)).toBe(DELIVERY.accepted);
});

test("F8 a person is known by any of their addresses: without the ninth digit, and by the hidden one alone", async () => {
  const phone = "5531987654321";
  const first = await inState("waiting", { phone });
  await hear(echo("a", { to: "553187654321@s.whatsapp.net" }));
  expect(await stateOf(first)).toBe(DELIVERY.accepted);
  await sql`insert into gateway_address (account_id, phone, jid, lid)
    values (${accountId}::uuid, ${phone}::bigint, '553187654321@s.whatsapp.net', '77001@lid')`.execute(db);
  const second = await inState("waiting", { phone, text: "Outra" });
  await hear(echo("b", { to: "77001@lid", text: "Outra" }));
  expect(await stateOf(second)).toBe(DELIVERY.accepted);
});

test("F8 two numbers of one person on WhatsApp are one person: their echo stays", async () => {
  const [a, b] = ["5511900000031", "5511900000032"];
  for (const phone of [a, b])
    await sql`insert into gateway_address (account_id, phone, jid)
      values (${accountId}::uuid, ${phone}::bigint, '5511900000031@s.whatsapp.net')`.execute(db);
  const one = await inState("waiting", { phone: a });
  const two = await inState("waiting", { phone: b });
  await hear(echo("a", { to: "5511900000031" }));
  expect([await stateOf(one), await stateOf(two)]).toEqual([DELIVERY.waiting, DELIVERY.waiting]);
});

test("F8 an echo whose message is known by now hides none that is not", async () => {
  const known = await inState("sent");
  await recordOutgoing(db, connectionId, [echo("known")]);
  await sql`insert into provider_message (connection_id, provider_id, campaign_id, seq, resend_number)
    values (${connectionId}, 'known', ${known}, 0, 0)`.execute(db);
  const campaignId = await inState("waiting");
  await hear(echo("a"));
  expect(await stateOf(campaignId)).toBe(DELIVERY.accepted);
});

test("F8 several look at once, and the first answer comes as well: the message has one id, the person one state", async () => {
  for (let round = 0; round < 15; round++) {
    const text = `Rodada ${round}`;
    const campaignId = await inState("waiting", { text });
    await recordOutgoing(db, connectionId, [echo(`race-${round}`, { text })]);
    await Promise.all([
      reconcileConnection(db, connectionId),
      reconcileConnection(db, connectionId),
      store(campaignId, `race-${round}`),
      recordOutgoing(db, connectionId, [echo(`race-${round}`, { text })]),
    ]);
    await reconcileConnection(db, connectionId);
    expect(await stateOf(campaignId)).toBe(DELIVERY.accepted);
    const { rows } =
      await sql`select provider_id as id from provider_message where campaign_id = ${campaignId}`.execute(db);
    expect(rows).toEqual([{ id: `race-${round}` }]);
  }
});
