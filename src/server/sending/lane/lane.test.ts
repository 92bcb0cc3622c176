import { sql } from "kysely";
import { expect, test } from "vitest";
import { testDatabase } from "../../../../tests/support/database.ts";
import { laneLab } from "../../../../tests/support/lane-lab.ts";
import { makeCampaign } from "../../../../tests/support/sending.ts";
import { DELIVERY } from "../../../domain/delivery.ts";
import type { Outcome } from "../../transports/transport.ts";
import { startNext } from "../campaigns/audience.ts";
import { cancelCampaign, createResend, pauseCampaign, resumeCampaign } from "../campaigns/campaign-status.ts";
import { sweepCancelled } from "../campaigns/campaign-sweeps.ts";
import { actOnDelivery } from "../doubts/delivery-actions.ts";

const { db, database } = await testDatabase();
const { arrange, open } = laneLab({ db, database });

test("everybody gets the message once, with their name @spec 3.4,7.8", async () => {
  const it = await arrange({ people: 1_200, text: "Oi, {nome}!" });
  await it.run();
  await it.finishes();
  const held = it.phone.held();
  expect(held.size).toBe(1_200);
  expect([...held.values()].every((texts) => texts.length === 1)).toBe(true);
  expect(held.get("5511900000007")).toEqual(["Oi, Pessoa 7!"]);
  const ledger = await it.ledger();
  expect(ledger.rows).toEqual([0, 0, 0, 0, 0, 0, 0, 1_200, 0, 0]);
  expect(ledger.rows).toEqual(ledger.counters);
});

test("a transport that takes no id of ours is never handed more people than it has free slots", async () => {
  let most = 0;
  const it = await arrange({
    people: 300,
    takesOurIds: false,
    slots: 16,
    answer: async () => {
      const { rows } = await sql<{
        n: number;
      }>`select count(*)::int as n from delivery where status = 1`.execute(db);
      most = Math.max(most, rows[0]?.n ?? 0);
      return { kind: "accepted", providerId: "x", at: Date.now() };
    },
  });
  await it.run();
  await it.finishes();
  expect(it.phone.frames).toHaveLength(300);
  expect(most).toBeLessThanOrEqual(16);
});

test("the transport hears of each campaign once, before anybody gets a message", async () => {
  const heard: string[] = [];
  let wake = () => {};
  const it = await arrange({
    people: 2,
    intervalS: 10,
    answer: (message) => {
      heard.push("message");
      wake();
      return { kind: "accepted", providerId: message.messageId, at: Date.now() };
    },
    campaignBegins: () => heard.push("campaign"),
  });
  const lane = await it.run();
  wake = () => lane.wake();
  await it.finishes();
  expect(heard).toEqual(["campaign", "message", "message"]);
  await makeCampaign(db, it.accountId, { people: 1, connectionId: it.connectionId });
  await startNext(database);
  lane.wake();
  await it.until(() => heard.length >= 5);
  expect(heard).toEqual(["campaign", "message", "message", "campaign", "message"]);
});

test("paced messages leave an interval apart, whatever happens in between @decision 13", async () => {
  const times: number[] = [];
  const it = await arrange({
    people: 6,
    intervalS: 10,
    answer: (message) => {
      times.push(it.clock.monotonic());
      return { kind: "accepted", providerId: message.messageId, at: Date.now() };
    },
  });
  await it.run();
  await it.until(async () => (await it.ledger()).status === "ended", 90);
  const gaps = times.slice(1).map((at, i) => at - (times[i] ?? 0));
  expect(gaps).toHaveLength(5);
  for (const gap of gaps) expect(gap).toBeGreaterThanOrEqual(9_900);
  expect(Math.max(...gaps)).toBeLessThan(11_000);
});

test("a restart keeps the distance to the last message", async () => {
  const it = await arrange({ people: 3, intervalS: 600 });
  const first = await it.run();
  await it.until(async () => (await it.ledger()).rows[DELIVERY.sent] === 1, 1);
  await first.close(1_000);
  const before = it.clock.monotonic();
  await it.run();
  await it.until(async () => (await it.ledger()).rows[DELIVERY.sent] === 2, 5_000);
  expect(it.clock.monotonic() - before).toBeGreaterThan(500_000);
});

test("a passing refusal is tried three times, after one and two seconds, and then is an error with its reason @spec 8.5,9.1 @decision 9", async () => {
  const times: number[] = [];
  const it = await arrange({
    people: 1,
    intervalS: 3_600,
    answer: (): Outcome => {
      times.push(it.clock.monotonic());
      return { kind: "refused", code: "503", passing: true };
    },
  });
  await sql`create table waited (id bigint generated always as identity, ms float8)`.execute(db);
  await sql`create function note_wait() returns trigger language plpgsql as $$ begin
    insert into waited (ms) values (extract(epoch from new.not_before - now()) * 1000); return null; end $$`.execute(
    db,
  );
  await sql`create trigger note_wait after update on delivery for each row
    when (new.status = 2 and new.not_before > now()) execute function note_wait()`.execute(db);
  await it.run();
  const pullForward = () =>
    sql`update delivery set not_before = now() where campaign_id = ${it.campaignId} and status = 2`.execute(
      db,
    );
  await it.until(async () => {
    await pullForward();
    return (await it.ledger()).status === "ended";
  });
  const waits = await sql<{ ms: number }>`select ms from waited order by id`.execute(db);
  expect(times).toHaveLength(3);
  expect(waits.rows.map(({ ms }) => ms)).toEqual([1_000, 2_000]);
  const { rows } = await sql`select error, tries from delivery where campaign_id = ${it.campaignId}`.execute(
    db,
  );
  expect(rows).toEqual([{ error: "503", tries: 3 }]);
});

test("a final refusal is not tried again @decision 9", async () => {
  const it = await arrange({
    people: 2,
    answer: () => ({ kind: "refused", code: "blocked", passing: false }),
  });
  await it.run();
  await it.finishes();
  expect(it.phone.frames).toHaveLength(2);
  expect((await it.ledger()).rows[5]).toBe(2);
});

test("a lost acknowledgement is sent again under the same id: the person has one message", async () => {
  const it = await arrange({
    people: 5,
    answer: (message, nth) =>
      nth < 3
        ? { kind: "ambiguous", reason: "no acknowledgement" }
        : { kind: "accepted", providerId: message.messageId, at: Date.now() },
  });
  await it.run();
  await it.finishes();
  expect(it.phone.frames).toHaveLength(15);
  expect([...it.phone.held().values()].map((texts) => texts.length)).toEqual([1, 1, 1, 1, 1]);
  expect((await it.ledger()).rows[DELIVERY.sent]).toBe(5);
});

test("doubt never becomes an error: refused after an ambiguous attempt, or never answered, is for a human @decision 9", async () => {
  const it = await arrange({
    people: 2,
    answer: (message, nth) =>
      message.to.jid.endsWith("0") && nth > 1
        ? { kind: "refused", code: "blocked", passing: false }
        : { kind: "ambiguous", reason: "no acknowledgement" },
  });
  await it.run();
  await it.finishes();
  expect((await it.ledger()).rows[4]).toBe(2);
  expect(it.phone.frames).toHaveLength(2 + 6);
});

test("a doubt that comes of WhatsApp's own trouble holds the lane up, ever longer, and is sent again under its id", async () => {
  const at: number[] = [];
  const it = await arrange({
    people: 2,
    answer: ({ messageId }) => {
      at.push(it.clock.monotonic());
      return at.length < 3
        ? { kind: "ambiguous", reason: "wa_503", stop: { cause: "server_trouble", retryAt: null } }
        : { kind: "accepted", providerId: messageId, at: it.clock.now().getTime() };
    },
  });
  await it.run();
  await it.finishes();
  const [first = 0, second = 0, third = 0] = at;
  expect(second - first).toBeGreaterThanOrEqual(1_000);
  expect(third - second).toBeGreaterThanOrEqual(2_000);
  expect([...it.phone.held().values()].map((texts) => texts.length)).toEqual([1, 1]);
  expect((await it.ledger()).rows[DELIVERY.sent]).toBe(2);
});

test("when the operator says never, a doubt is not sent again @decision 9", async () => {
  const it = await arrange({
    resendsDoubts: false,
    people: 3,
    answer: () => ({ kind: "ambiguous", reason: "reset" }),
  });
  await it.run();
  await it.finishes();
  expect(it.phone.frames).toHaveLength(3);
  expect((await it.ledger()).rows[4]).toBe(3);
});

test("a doubtful message waits until the channel has been ready for five seconds @decision 10", async () => {
  let readyFor = 0;
  const it = await arrange({ people: 1, readyFor: () => readyFor });
  const { connectionId, campaignId } = it;
  await sql`update delivery set status = 1, fence = 0 where campaign_id = ${campaignId}`.execute(db);
  await sql`update campaign set cursor = 1, pending_count = 0, sending_count = 1 where id = ${campaignId}`.execute(
    db,
  );
  await it.run();
  expect((await it.ledger()).rows[2]).toBe(1);
  const quiet = it.clock.monotonic() + 20_000;
  await it.until(() => it.clock.monotonic() > quiet, 500);
  expect(it.phone.frames, `connection ${connectionId} sent too early`).toHaveLength(0);
  readyFor = 5_000;
  await it.finishes();
  expect(it.phone.frames).toHaveLength(1);
});

test("a channel stop makes no errors: people wait and the lane backs off @decision 10", async () => {
  let broken = true;
  const attempts: string[] = [];
  const it = await arrange({
    people: 40,
    figures: { kind: "device", attempted: (_kind, outcome) => attempts.push(outcome) },
    answer: (message) =>
      broken
        ? { kind: "stop", cause: "rate_limited", retryAt: null }
        : { kind: "accepted", providerId: message.messageId, at: Date.now() },
  });
  await it.run();
  await it.until(() => it.clock.monotonic() > 60_000, 500);
  expect(it.phone.frames.length).toBeLessThan(10);
  await it.until(async () => (await it.ledger()).rows[1] === 0);
  const held = await it.ledger();
  expect((held.rows[0] ?? 0) + (held.rows[1] ?? 0) + (held.rows[2] ?? 0)).toBe(40);
  const { rows } = await sql<{
    tries: number;
  }>`select max(tries) as tries from delivery where campaign_id = ${it.campaignId}`.execute(db);
  expect(rows[0]?.tries, "no attempt is counted").toBe(0);
  expect(attempts, "nor measured").toEqual([]);
  broken = false;
  await it.until(async () => (await it.ledger()).status === "ended", 1_000);
  expect(attempts).toEqual(Array<string>(40).fill("sent"));
  expect([...it.phone.held().values()].every((texts) => texts.length === 1)).toBe(true);
});

test("a closed channel is not sent through, and an open one goes on by itself", async () => {
  const it = await arrange({ people: 10 });
  it.phone.setOpen(false);
  await it.run();
  const later = it.clock.monotonic() + 30_000;
  await it.until(() => it.clock.monotonic() > later, 1_000);
  expect(it.phone.frames).toHaveLength(0);
  it.phone.setOpen(true);
  await it.finishes();
  expect(it.phone.held().size).toBe(10);
});

test("numbers are looked up once, one person is reached once, and one not on WhatsApp is an error @spec 5.4,5.5 @decision 6", async () => {
  const asked: string[] = [];
  const it = await arrange({
    people: 4,
    lookup: (phone) => {
      asked.push(phone);
      if (phone.endsWith("3")) return { kind: "absent" };
      const user = phone.endsWith("2") ? "5511900000001" : phone;
      return { kind: "found", address: { jid: `${user}@s.whatsapp.net`, lid: `9${user}@lid` } };
    },
  });
  await sql`delete from wa_address`.execute(db);
  await it.run();
  await it.finishes();
  const { rows } =
    await sql`select seq, status, error from delivery where campaign_id = ${it.campaignId} order by seq`.execute(
      db,
    );
  expect(rows).toEqual([
    { seq: 0, status: DELIVERY.sent, error: null },
    { seq: 1, status: DELIVERY.sent, error: null },
    { seq: 2, status: 3, error: "duplicate" },
    { seq: 3, status: 5, error: "not_on_whatsapp" },
  ]);
  expect(it.phone.held().size).toBe(2);
  expect(asked).toHaveLength(4);

  await createResend(it.owner, it.campaignId);
  await startNext(database);
  open[0]?.wake();
  await it.until(async () => {
    const last = await sql<{
      status: string;
    }>`select status from campaign where resends_id = ${it.campaignId}`.execute(db);
    return last.rows[0]?.status === "ended";
  });
  expect(asked, "the answer of today is believed").toHaveLength(4);
});

test("a pause stops before the next message; a resume continues without duplicates", async () => {
  const it = await arrange({
    people: 30,
    answer: async (message) => {
      if (it.phone.frames.length === 5) {
        await pauseCampaign(it.owner, it.campaignId);
        open[0]?.wake();
      }
      return { kind: "accepted", providerId: message.messageId, at: Date.now() };
    },
  });
  await it.run();
  await it.until(async () => {
    const { status, rows } = await it.ledger();
    return status === "paused" && rows[1] === 0;
  });
  const sent = it.phone.frames.length;
  expect(sent).toBeLessThanOrEqual(6);
  const later = it.clock.monotonic() + 20_000;
  await it.until(() => it.clock.monotonic() > later, 1_000);
  expect(it.phone.frames).toHaveLength(sent);
  await resumeCampaign(it.owner, it.campaignId);
  open[0]?.wake();
  await it.finishes();
  expect(it.phone.held().size).toBe(30);
  expect(it.phone.frames).toHaveLength(30);
});

test("cancel leaves everybody with a last state: sent, or «Ignorado (cancelada)»", async () => {
  const it = await arrange({ people: 50, intervalS: 60 });
  await it.run();
  await it.until(async () => (await it.ledger()).rows[DELIVERY.sent] === 2, 1_000);
  await cancelCampaign(it.owner, it.campaignId);
  open[0]?.wake();
  await sweepCancelled(db);
  const ledger = await it.ledger();
  expect(ledger.status).toBe("cancelled");
  expect(ledger.rows).toEqual([0, 0, 0, 48, 0, 0, 0, 2, 0, 0]);
  expect(ledger.rows).toEqual(ledger.counters);
});

test("two campaigns through one connection take turns under the larger interval @decision 13", async () => {
  const it = await arrange({ people: 4, intervalS: 10, text: "A" });
  await makeCampaign(db, it.accountId, {
    people: 4,
    intervalS: 30,
    text: "B",
    connectionId: it.connectionId,
  });
  await startNext(database);
  await it.run();
  await it.until(async () => {
    const { rows } = await sql<{ n: number }>`select count(*)::int as n from campaign
      where connection_id = ${it.connectionId} and status = 'ended'`.execute(db);
    return rows[0]?.n === 2;
  }, 1_000);
  expect(it.phone.frames.map((frame) => frame.text).join("")).toMatch(/^(AB){4}$/);
});

test("a doubt is settled by a human once: a new id, and a second click is too late", async () => {
  const it = await arrange({
    people: 1,
    resendsDoubts: false,
    answer: (_, nth) =>
      nth === 1
        ? { kind: "ambiguous", reason: "reset" }
        : { kind: "accepted", providerId: "x", at: Date.now() },
  });
  const lane = await it.run();
  await it.finishes();
  await actOnDelivery(it.owner, it.campaignId, 0, "resend");
  await expect(actOnDelivery(it.owner, it.campaignId, 0, "resend")).rejects.toMatchObject({
    code: "delivery_already_resolved",
  });
  lane.wake();
  await it.finishes();
  const ids = it.phone.frames.map((frame) => frame.messageId);
  expect(new Set(ids).size).toBe(2);
  expect((await it.ledger()).rows[DELIVERY.sent]).toBe(1);
});

test("a lane whose connection was taken over stops at once and says so", async () => {
  const it = await arrange({
    people: 1_000,
    answer: async (message) => {
      if (it.phone.frames.length === 3) {
        await sql`update connection set fence = fence + 1 where id = ${it.connectionId}`.execute(db);
        for (const lane of open) lane.wake();
      }
      return { kind: "accepted", providerId: message.messageId, at: Date.now() };
    },
  });
  await it.run();
  await it.until(() => it.ended.mock.calls.length > 0);
  expect(it.ended).toHaveBeenCalledWith("lost");
});
