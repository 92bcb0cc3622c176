import { sql } from "kysely";
import { expect, test, vi } from "vitest";
import { testDatabase } from "../../../../tests/support/database.ts";
import { gatewayCampaigns, HASTY, PATIENT } from "../../../../tests/support/gateway-campaigns.ts";
import { outgoingOf } from "../../../../tests/support/scripted-gateway.ts";
import { makeCampaign } from "../../../../tests/support/sending.ts";
import { DELIVERY } from "../../../domain/delivery.ts";
import { startNext } from "../campaigns/audience.ts";
import { cancelCampaign, pauseCampaign } from "../campaigns/campaign-status.ts";
import { actOnDelivery } from "../doubts/delivery-actions.ts";
import { recordOutgoing } from "../doubts/outgoing-messages.ts";
import { enqueue, readOutbox } from "../outbox/outbox.ts";
import { settleProviderReceipts } from "../receipts/provider-messages.ts";

const { db, database } = await testDatabase();
const { arrange, startProcess } = gatewayCampaigns({ db, database });

test("a gateway's campaign: each outcome has its state; it stays open while a doubt is searched for", async () => {
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
  await it.states([0, 0, 2, 0, 0, 1, 0, 5, 0, 0]);
  expect(await it.person(4)).toEqual({ status: DELIVERY.waiting, error: "gateway_timeout", tries: 1 });
  const { status, rows, counters } = await it.ledger();
  expect(status).toBe("sending");
  expect(rows).toEqual(counters);
  await it.tell();
  await it.states([0, 0, 1, 0, 0, 1, 0, 6, 0, 0]);
  expect((await it.ledger()).status).toBe("sending");
  await sql`update delivery set not_before = now() where campaign_id = ${it.campaignId} and status = 2`.execute(
    db,
  );
  await it.ends();
  expect(await it.person(4)).toEqual({ status: DELIVERY.uncertain, error: "gateway_timeout", tries: 1 });
  expect([...it.gateway.heldBy().values()].map((texts) => texts.length)).toEqual([1, 1, 1, 1, 1, 1]);
});

test("a lost answer is found by a search at the gateway, with receipts that arrived before", async () => {
  const it = await arrange({ fate: () => "answer lost" });
  await it.run();
  await vi.waitFor(() => expect(it.gateway.held).toHaveLength(5), 60_000);
  const [first, second] = it.gateway.held;
  await settleProviderReceipts(db, it.connectionId, [
    { messageId: first?.id ?? "", status: "read", at: new Date() },
    { messageId: second?.id ?? "", status: "error", at: new Date() },
  ]);
  await it.ends();
  await it.states([0, 0, 0, 0, 0, 1, 0, 3, 0, 1]);
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
  expect((await it.ledger()).rows).toEqual([0, 0, 0, 0, 4, 0, 0, 0, 0, 0]);
  await it.tell();
  await it.states([0, 0, 0, 0, 3, 0, 0, 1, 0, 0]);
  await actOnDelivery(it.owner, it.campaignId, 1, "mark_sent");
  await actOnDelivery(it.owner, it.campaignId, 2, "ignore");
  await actOnDelivery(it.owner, it.campaignId, 3, "resend");
  await it.states([0, 0, 0, 1, 0, 0, 0, 3, 0, 0]);
  await it.ends();
  expect(it.gateway.heldBy().get("5511900000003")).toHaveLength(1);
});

test("a cancelled campaign's doubts are looked for all the same, and then are a human's", async () => {
  const it = await arrange({
    people: 30,
    slots: 2,
    searchable: false,
    fate: ({ to }) => {
      if (to.jid.endsWith("00")) return "answer lost";
      return to.jid.endsWith("01")
        ? "never left"
        : { kind: "stop", cause: "not_connected", retryAt: "human" };
    },
  });
  await it.run();
  await vi.waitFor(async () => expect((await it.ledger()).rows[2]).toBeGreaterThanOrEqual(2), 60_000);
  await cancelCampaign(it.owner, it.campaignId);
  await it.states([0, 0, 2, 28, 0, 0, 0, 0, 0, 0]);
  expect((await it.ledger()).status).toBe("cancelled");
  await it.tell();
  await it.states([0, 0, 1, 28, 0, 0, 0, 1, 0, 0]);
  await sql`update delivery set not_before = now() where campaign_id = ${it.campaignId} and status = 2`.execute(
    db,
  );
  await it.states([0, 0, 0, 28, 1, 0, 0, 1, 0, 0]);
  const { status, rows, counters } = await it.ledger();
  expect(status).toBe("cancelled");
  expect(rows).toEqual(counters);
});

test("a paused campaign ends when its last doubt is found", async () => {
  const it = await arrange({ people: 1, searchable: false, fate: () => "answer lost" });
  await it.run();
  await it.states([0, 0, 1, 0, 0, 0, 0, 0, 0, 0]);
  await pauseCampaign(it.owner, it.campaignId);
  await it.tell();
  await it.ends();
  expect((await it.ledger()).rows[7]).toBe(1);
});

test("two campaigns with one text to the same people: more are never called sent than got it", async () => {
  const fates = ["accept", "answer lost", "never left"] as const;
  let nth = 0;
  const it = await arrange({
    people: 30,
    text: "Promoção!",
    searchable: false,
    fate: () => fates[(nth++ * 7 + Math.floor(nth / 4)) % 3] ?? "accept",
  });
  const other = await makeCampaign(db, it.accountId, {
    people: 30,
    text: "Promoção!",
    connectionId: it.connectionId,
  });
  await startNext(database);
  await it.run();
  await vi.waitFor(() => expect(it.gateway.attempts()).toBe(60), { timeout: 60_000 });
  await it.tell();
  const facts = async () =>
    (
      await sql<{ phone: string; sent: number; doubts: number }>`select phone::text as phone,
        count(*) filter (where status >= 6)::int as sent, count(*) filter (where status = 2)::int as doubts
      from delivery where campaign_id in (${it.campaignId}, ${other}) group by phone order by phone`.execute(
        db,
      )
    ).rows;
  let before = "";
  await vi.waitFor(
    async () => {
      const rows = await facts();
      const now = JSON.stringify(rows);
      const same = now === before;
      before = now;
      expect(same).toBe(true);
      expect(rows.every(({ sent, doubts }) => sent + doubts === 2)).toBe(true);
      expect(rows.reduce((sum, { sent }) => sum + sent, 0)).toBeGreaterThan(20);
    },
    { timeout: 60_000, interval: 300 },
  );
  const held = it.gateway.heldBy();
  let settled = 0;
  for (const { phone, sent, doubts } of await facts()) {
    expect(sent + doubts).toBe(2);
    expect(sent).toBeLessThanOrEqual(held.get(phone)?.length ?? 0);
    settled += sent;
  }
  expect(settled).toBeGreaterThan(20);
});

test("single messages: a lost answer is found, one to a group goes to its address, one that never left is a human's", async () => {
  const it = await arrange({
    people: 0,
    fate: ({ text }) => (text === "nunca" ? "never left" : text === "perdida" ? "answer lost" : "accept"),
  });
  const box = async (to: { phone: string } | { jid: string }, text: string) =>
    (
      await enqueue(it.owner, {
        connectionId: it.connectionId,
        to,
        text,
        attachmentId: null,
        idempotencyKey: null,
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
  await vi.waitFor(async () => expect(await states()).toEqual([6, 6, 2]), { timeout: 60_000 });
  await sql`update outbox set not_before = now() where id = ${never}`.execute(db);
  await vi.waitFor(async () => expect(await states()).toEqual([6, 6, 4]), { timeout: 60_000 });
  expect(it.gateway.held.map((one) => one.to).sort()).toEqual(["120363000000000009@g.us", "5511988880001"]);
  expect(it.gateway.attempts()).toBe(3);
});

test("what was begun when a process died is found by when it was begun, however long that is ago", async () => {
  const it = await arrange({ people: 1, searchable: false });
  const text = "avulsa";
  const { id } = await enqueue(it.owner, {
    connectionId: it.connectionId,
    to: { phone: "5511988880008" },
    text,
    attachmentId: null,
    idempotencyKey: null,
    origin: "api",
  });
  const at = new Date(Date.now() - 10 * 60_000);
  const begun = sql`status = 1, fence = 0, not_before = ${at}`;
  await sql`update delivery set ${begun} where campaign_id = ${it.campaignId}`.execute(db);
  await sql`update campaign set cursor = 1, pending_count = 0, sending_count = 1, claimed_at = ${at} where id = ${it.campaignId}`.execute(
    db,
  );
  await sql`update outbox set ${begun} where id = ${id}`.execute(db);
  const facts = { kind: "text" as const, at };
  await recordOutgoing(db, it.connectionId, [
    outgoingOf({ ...facts, id: "a", to: "5511900000000", text: "Oi, Pessoa 0!" }),
    outgoingOf({ ...facts, id: "b", to: "5511988880008", text }),
  ]);
  await it.run();
  await it.states([0, 0, 0, 0, 0, 0, 0, 1, 0, 0]);
  await vi.waitFor(async () => {
    await it.confirm();
    expect((await readOutbox(it.owner, id))?.state).toBe("sent");
  }, 60_000);
  expect(it.gateway.attempts()).toBe(0);
});

test("pictures travel as bytes with each message, and a lost one is found by its caption", async () => {
  const it = await arrange({
    people: 6,
    fate: ({ to }) => (to.jid.endsWith("2") ? "answer lost" : "accept"),
  });
  const { rows } = await sql<{
    id: number;
  }>`insert into attachment (account_id, sha256, kind, name, mime, size, width, height, bytes)
    values (${it.accountId}::uuid, '\\x01', 'image', '', 'image/png', 2, 1, 1, '\\xcafe') returning id`.execute(
    db,
  );
  await sql`update campaign set attachment_id = ${rows[0]?.id ?? 0} where id = ${it.campaignId}`.execute(db);
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
  expect((await it.ledger()).rows[7]).toBe(6);
  expect(media).toEqual(Array(6).fill({ kind: "image", mime: "image/png", name: "", base64: "yv4=" }));
  const kept = await sql`select 1 from campaign_upload where campaign_id = ${it.campaignId}`.execute(db);
  expect(kept.rows).toEqual([]);
});
