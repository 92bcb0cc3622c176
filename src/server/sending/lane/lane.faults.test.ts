import { sql } from "kysely";
import { expect, test, vi } from "vitest";
import { testDatabase } from "../../../../tests/support/database.ts";
import { laneLab } from "../../../../tests/support/lane-lab.ts";
import { makeCampaign } from "../../../../tests/support/sending.ts";
import { unhurried } from "../../../../tests/support/waiting.ts";
import { DELIVERY } from "../../../domain/delivery.ts";
import { startNext } from "../campaigns/audience.ts";
import { pauseCampaign } from "../campaigns/campaign-status.ts";
import { enqueue } from "../outbox/outbox.ts";

const { db, database } = await testDatabase();
const { arrange, open } = laneLab({ db, database });

const directMessage = (connectionId: number) => ({
  connectionId,
  to: { phone: "5511988887777" },
  text: "Seu código é 4321",
  attachmentId: null,
  idempotencyKey: null,
  origin: "api" as const,
});

test("a lane whose people wait for their time rests between two looks", async () => {
  const it = await arrange({ people: 2, intervalS: 60, readyFor: () => 0 });
  await sql`update delivery set status = 2, ambiguous = true where campaign_id = ${it.campaignId} and seq = 0`.execute(
    db,
  );
  await sql`update campaign set cursor = 1, pending_count = 1, waiting_count = 1 where id = ${it.campaignId}`.execute(
    db,
  );
  await it.run();
  await it.until(() => it.clock.monotonic() > 59_000, 20);
  expect(it.waits.filter((ms) => ms < 100).length).toBeLessThan(100);
});

test("a lane that is due but whose only people may not be asked yet rests as well", async () => {
  const it = await arrange({ people: 1, intervalS: 1, readyFor: () => 0 });
  await sql`update delivery set status = 2, ambiguous = true where campaign_id = ${it.campaignId}`.execute(
    db,
  );
  await sql`update campaign set cursor = 1, pending_count = 0, waiting_count = 1 where id = ${it.campaignId}`.execute(
    db,
  );
  await it.run();
  await it.until(() => it.clock.monotonic() > 20_000, 20);
  expect(it.waits.length).toBeLessThan(120);
});

test("a single message goes before a running campaign's people, whatever its speed", async () => {
  let at = 0;
  const handedOut = async () => {
    const { rows } =
      await sql`select 1 from outbox where connection_id = ${it.connectionId} and status <> 0`.execute(db);
    expect(rows).toHaveLength(1);
  };
  const it = await arrange({
    people: 3_000,
    answer: async (message) => {
      if (it.phone.frames.length === 50) {
        await enqueue(it.owner, directMessage(it.connectionId));
        at = it.phone.frames.length;
        open[0]?.wakeForDirect();
        await vi.waitFor(handedOut, 60_000);
      }
      await new Promise((resolve) => setImmediate(resolve));
      return { kind: "accepted", providerId: message.messageId, at: Date.now() };
    },
  });
  await it.run();
  await it.finishes();
  const place = it.phone.frames.findIndex((frame) => frame.text.startsWith("Seu código"));
  expect(place).toBeGreaterThan(0);
  expect(place - at).toBeLessThan(100);
});

test("a constant stream of direct messages does not stop the campaigns", async () => {
  const it = await arrange({ people: 30 });
  const lane = await it.run();
  let telling = true;
  const tell = () => {
    lane.wakeForDirect();
    if (telling) setImmediate(tell);
  };
  tell();
  await it.finishes();
  telling = false;
  expect(it.phone.held().size).toBe(30);
});

test.each([
  ["unpaced", {}, 1],
  ["paced", { intervalS: 1 }, Number.POSITIVE_INFINITY],
  ["over a gateway", { takesOurIds: false, slots: 4 }, 7],
])(
  "a backlog of single messages that never ends lets a campaign's people through: %s",
  async (_, kind, most) => {
    const store = async (n: number) => {
      for (let i = 0; i < n; i++) await enqueue(it.owner, { ...directMessage(it.connectionId), text: "Oi" });
    };
    const it = await arrange({
      people: 4,
      ...kind,
      answer: async ({ messageId, text }) => {
        if (text === "Oi") await store(1);
        for (let i = 0; i < 10; i++) await sql`select 1`.execute(db);
        return { kind: "accepted", providerId: messageId, at: Date.now() };
      },
    });
    await store(10);
    await it.run();
    await it.finishes();
    const order = it.phone.frames.map(({ text }) => (text === "Oi" ? "s" : "P")).join("");
    const before = order.slice(0, order.lastIndexOf("P")).split("P");
    expect(before).toHaveLength(4);
    expect(Math.max(...before.map((singles) => singles.length))).toBeLessThanOrEqual(most);
  },
);

test("a notification that got lost delays by seconds, however busy or paced the lane is", async () => {
  const it = await arrange({ people: 100, intervalS: 3 });
  await it.run();
  await it.until(() => it.phone.frames.length === 2, 200);
  await sql`insert into outbox (account_id, connection_id, phone, text, message_id, body_hash)
    values (${it.accountId}::uuid, ${it.connectionId}, 5511988887777, 'Oi', '3EB0AA', '')`.execute(db);
  const start = it.clock.monotonic();
  await it.until(() => it.phone.frames.some((frame) => frame.messageId === "3EB0AA"), 200);
  expect(it.clock.monotonic() - start).toBeLessThan(10_000);
});

test("F10 a slow answer is an answer: one message at a time, and the interval counts from where it began", async () => {
  const at: number[] = [];
  let onTheWire = 0;
  let most = 0;
  const it = await arrange({
    people: 2,
    intervalS: 600,
    answer: async ({ messageId }) => {
      at.push(it.clock.monotonic());
      onTheWire += 1;
      most = Math.max(most, onTheWire);
      await new Promise<void>((resolve) => void it.clock.after(300_000, resolve));
      onTheWire -= 1;
      return { kind: "accepted", providerId: messageId, at: it.clock.now().getTime() };
    },
  });
  await it.run();
  await it.until(async () => (await it.ledger()).status === "ended", 2_000);
  expect(await it.ledger()).toMatchObject({ total: 2 });
  expect([at.length, most]).toEqual([2, 1]);
  const [first = 0, second = 0] = at;
  expect(second - first).toBeGreaterThanOrEqual(599_000);
  expect(second - first).toBeLessThan(600_000 + 300_000);
});

test("a process that dies with a message on the wire does not send the next one early when it is back", async () => {
  const it = await arrange({
    people: 10,
    intervalS: 600,
    answer: (message) =>
      it.phone.frames.length === 1
        ? new Promise(() => {})
        : { kind: "accepted", providerId: message.messageId, at: Date.now() },
  });
  await it.run();
  await it.until(() => it.phone.frames.length === 1, 1_000);
  const before = it.clock.monotonic();
  await it.run();
  await it.until(() => it.phone.frames.length === 2, 5_000);
  expect(it.clock.monotonic() - before).toBeGreaterThan(500_000);
});

test("a paced campaign that joins a fast one slows it down at once", async () => {
  let joined = false;
  const it = await arrange({
    people: 200,
    answer: async (message) => {
      if (it.phone.frames.length === 20) {
        const { accountId, connectionId } = it;
        await makeCampaign(db, accountId, { people: 5, intervalS: 60, text: "B", connectionId });
        await startNext(database);
        open[0]?.wake();
        joined = true;
      }
      await new Promise((resolve) => setTimeout(resolve, 2));
      return { kind: "accepted", providerId: message.messageId, at: Date.now() };
    },
  });
  await it.run();
  await it.until(() => joined, 1);
  const later = it.clock.monotonic() + 50_000;
  await it.until(() => it.clock.monotonic() > later, 200);
  expect(it.phone.frames.length).toBeLessThanOrEqual(21);
});

async function handedOutEarly() {
  const it = await arrange({ people: 3, intervalS: 10 });
  await it.run();
  await it.until(async () => {
    const { rows } = await it.ledger();
    return rows[DELIVERY.sent] === 1 && rows[1] === 1;
  });
  expect(it.phone.frames).toHaveLength(1);
  return it;
}

test("a paced message is handed out before its time, and leaves at it, whatever the database does then", async () => {
  const it = await handedOutEarly();
  await unhurried(db, async (tx) => {
    await sql`select 1 from campaign where id = ${it.campaignId} for update`.execute(tx);
    await it.until(() => it.phone.frames.length === 2);
  });
  expect(it.clock.monotonic()).toBeGreaterThanOrEqual(10_000);
  await it.finishes();
  expect(it.phone.frames).toHaveLength(3);
});

test("a pause takes back the one who was handed out before their time", async () => {
  const it = await handedOutEarly();
  await pauseCampaign(it.owner, it.campaignId);
  open[0]?.wake();
  await it.until(async () => (await it.ledger()).rows[2] === 1, 0);
  const later = it.clock.monotonic() + 30_000;
  await it.until(() => it.clock.monotonic() > later, 500);
  expect(it.phone.frames).toHaveLength(1);
  expect(await it.ledger()).toMatchObject({ status: "paused", rows: [1, 0, 1, 0, 0, 0, 0, 1, 0, 0] });
});

test("a pause that WhatsApp asked for outlasts a reconnection", async () => {
  let stopped = false;
  const it = await arrange({
    people: 5,
    answer: (message) => {
      if (stopped) return { kind: "accepted", providerId: message.messageId, at: Date.now() };
      stopped = true;
      return { kind: "stop", cause: "rate_limited", retryAt: it.clock.now().getTime() + 60_000 };
    },
  });
  await it.run();
  await it.until(() => stopped);
  const start = it.clock.monotonic();
  it.phone.setOpen(false);
  await it.until(() => it.clock.monotonic() > start + 5_000, 500);
  it.phone.setOpen(true);
  await it.until(() => it.phone.frames.length > 1, 500);
  expect(it.clock.monotonic() - start).toBeGreaterThan(55_000);
});

test("campaigns take turns also while one of them sends to people who were given back", async () => {
  const it = await arrange({ people: 4, intervalS: 10, text: "A" });
  const { accountId, connectionId, campaignId } = it;
  await makeCampaign(db, accountId, { people: 4, intervalS: 10, text: "B", connectionId });
  await startNext(database);
  await sql`update delivery set status = 2 where campaign_id = ${campaignId}`.execute(db);
  await sql`update campaign set cursor = 4, pending_count = 0, waiting_count = 4 where id = ${campaignId}`.execute(
    db,
  );
  await it.run();
  await it.until(() => it.phone.frames.length === 8, 500);
  expect(it.phone.frames.map((frame) => frame.text).join("")).toMatch(/^(AB){4}$/);
});

test("when the operator has come to say never, the doubts of before are for humans too", async () => {
  const it = await arrange({ people: 2, resendsDoubts: false });
  await sql`update delivery set status = 2, ambiguous = seq = 0, tries = 1 where campaign_id = ${it.campaignId}`.execute(
    db,
  );
  await sql`update campaign set cursor = 2, pending_count = 0, waiting_count = 2 where id = ${it.campaignId}`.execute(
    db,
  );
  await sql`insert into outbox (account_id, connection_id, phone, text, message_id, body_hash, status, ambiguous)
    values (${it.accountId}::uuid, ${it.connectionId}, 5511988887777, 'Oi', '3EB0BB', '', 2, true)`.execute(
    db,
  );
  await it.run();
  await it.finishes();
  const ledger = await it.ledger();
  expect(ledger.rows).toEqual([0, 0, 0, 0, 1, 0, 0, 1, 0, 0]);
  expect(ledger.rows).toEqual(ledger.counters);
  expect(it.phone.frames.map((frame) => frame.text)).toEqual(["Oi, Pessoa 1!"]);
  const { rows } = await sql`select status from outbox where message_id = '3EB0BB'`.execute(db);
  expect(rows).toEqual([{ status: 4 }]);
});

test("a number that WhatsApp never answers about delays no other", async () => {
  const it = await arrange({
    people: 5,
    lookup: (phone) =>
      phone.endsWith("0")
        ? { kind: "stop", cause: "lookup_failed", retryAt: null }
        : { kind: "found", address: { jid: `${phone}@s.whatsapp.net`, lid: null } },
  });
  await sql`delete from wa_address`.execute(db);
  await it.run();
  await it.until(async () => String((await it.ledger()).rows) === "0,0,1,0,0,0,0,4,0,0", 500);
  expect(it.phone.frames).toHaveLength(4);
});

async function breakTurn(campaignId: number): Promise<void> {
  await db.transaction().execute(async (tx) => {
    await sql`select 1 from campaign where id = ${campaignId} for no key update`.execute(tx);
    for (let ended = 0; ended === 0; ) {
      const { rows } = await sql`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and application_name = 'recado-prepared'`.execute(
        tx,
      );
      ended = rows.length;
    }
  });
}

test("F4 broken database connections delay a campaign, and each person gets it once", async () => {
  const people = 600;
  const it = await arrange({
    people,
    answer: async (message) => {
      await new Promise((resolve) => setTimeout(resolve, 2));
      return { kind: "accepted", providerId: message.messageId, at: Date.now() };
    },
  });
  let known = 0;
  const runAgain = async () => {
    if (it.ended.mock.calls.length === known && open.length > 0) return;
    known = it.ended.mock.calls.length;
    for (const lane of open.splice(0)) await lane.close(1_000);
    await it.run().catch(() => undefined);
  };
  for (let times = 0; times < 5; times++) {
    const goal = it.phone.frames.length + 10;
    await it.until(async () => {
      await runAgain();
      return it.phone.frames.length >= goal;
    }, 10);
    await breakTurn(it.campaignId);
    // Breaking again before the lane notices would wait for a turn that never comes.
    await it.until(() => it.ended.mock.calls.length > known, 10);
  }
  await it.until(async () => {
    await runAgain();
    return (await it.ledger()).status === "ended";
  });
  expect(known, "a lane really failed").toBeGreaterThan(0);
  const held = [...it.phone.held().values()];
  expect(held).toHaveLength(people);
  expect(held.every((texts) => texts.length === 1)).toBe(true);
  const ledger = await it.ledger();
  expect(ledger.rows).toEqual([0, 0, 0, 0, 0, 0, 0, people, 0, 0]);
  expect(ledger.counters).toEqual(ledger.rows);
});
