import { sql } from "kysely";
import { beforeEach, expect, test } from "vitest";
import { testDatabase } from "../../../../tests/support/database.ts";
import { laneLab, OWN_PHONE } from "../../../../tests/support/lane-lab.ts";
import { scriptedTransport } from "../../../../tests/support/scripted-transport.ts";
import { DELIVERY } from "../../../domain/delivery.ts";
import type { LookupResult, Outcome, WireMessage } from "../../transports/transport.ts";
import { enqueue, readOutbox } from "../outbox/outbox.ts";
import type { Recipient } from "./recipient.ts";
import { RecipientBreaker } from "./recipient-breaker.ts";
import { RecipientSignal } from "./recipient-signal.ts";

const { db, database } = await testDatabase();
const { arrange } = laneLab({ db, database });

const found = (phone: string): LookupResult => ({
  kind: "found",
  address: { jid: `${phone}@s.whatsapp.net`, lid: null },
});
const silent = { kind: "stop", cause: "lookup_failed", retryAt: null } as const;
const refused = { kind: "stop", cause: "devices_refused", retryAt: null } as const;
const gone = { kind: "stop", cause: "not_connected", retryAt: null } as const;
const taken = ({ messageId }: WireMessage): Outcome => ({
  kind: "accepted",
  providerId: messageId,
  at: Date.now(),
});
const times = { aside: 3, backoff: [1_000] };

beforeEach(async () => {
  await sql`delete from wa_address`.execute(db);
});

function reachedOnce(held: Map<string, string[]>, people: number, except: number[] = []): void {
  const all = Array.from({ length: people }, (_, n) => n).filter((n) => !except.includes(n));
  expect(new Set(held.keys())).toEqual(new Set(all.map((n) => `${5_511_900_000_000 + n}@s.whatsapp.net`)));
  expect([...held.values()].every((texts) => texts.length === 1)).toBe(true);
}

const reasons = async (campaignId: number) =>
  (
    await sql<{ seq: number; error: string }>`select seq, error from delivery
      where campaign_id = ${campaignId} and error is not null order by seq`.execute(db)
  ).rows;

test("a person whose look-up never returns is an error after five tries; the campaign ends @decision 6", async () => {
  const asked: number[] = [];
  const it = await arrange({
    people: 5,
    times: { aside: 30 },
    lookup: (phone) => {
      if (phone !== "5511900000000") return found(phone);
      asked.push(performance.now());
      return silent;
    },
  });
  await it.run();
  await it.until(async () => (await it.ledger()).status === "ended", 1_000);
  reachedOnce(it.phone.held(), 5, [0]);
  expect(asked).toHaveLength(5);
  expect((asked[4] ?? 0) - (asked[3] ?? 0)).toBeGreaterThanOrEqual(27 * 30);
  expect(await it.ledger()).toMatchObject({ rows: [0, 0, 0, 0, 0, 1, 0, 4, 0, 0] });
  expect(await reasons(it.campaignId)).toEqual([{ seq: 0, error: "unanswered" }]);
});

test.each([
  ["and no one else", 3],
  ["with no one to compare them with", 1],
])("a person refused over their devices each time, %s, is refused in the end", async (_, people) => {
  const it = await arrange({
    people,
    times,
    lookup: found,
    answer: (message) => (message.to.jid.startsWith("5511900000000@") ? refused : taken(message)),
  });
  await it.run();
  await it.until(async () => (await it.ledger()).status === "ended", 1_000);
  expect(it.phone.frames.filter(({ to }) => to.jid.startsWith("5511900000000@"))).toHaveLength(5);
  expect(await it.ledger()).toMatchObject({ rows: [0, 0, 0, 0, 0, 1, 0, people - 1, 0, 0] });
  expect(await reasons(it.campaignId)).toEqual([{ seq: 0, error: "wa_479" }]);
});

test("four last people whose messages never leave are errors once another person is reached", async () => {
  const dead = ["3", "4", "5", "6"];
  const stopped: string[] = [];
  const it = await arrange({
    people: 7,
    times,
    lookup: found,
    answer: (message) => {
      const { jid } = message.to;
      if (!dead.includes(jid.split("@")[0]?.at(-1) ?? "")) return taken(message);
      stopped.push(jid);
      return gone;
    },
  });
  await it.run();
  await it.until(() => stopped.filter((jid) => jid === stopped[0]).length > 3, 20_000);
  expect((await it.ledger()).rows.slice(3)).toEqual([0, 0, 0, 0, 3, 0, 0]);
  const { connectionId } = it;
  const message = { connectionId, to: { phone: "5511988887777" }, text: "Oi", attachmentId: null };
  await enqueue(it.owner, { ...message, idempotencyKey: null, origin: "api" });
  await it.until(async () => (await it.ledger()).status === "ended", 1_000);
  const once = it.phone.held();
  expect([...once.keys()].filter((jid) => !dead.includes(jid.split("@")[0]?.at(-1) ?? ""))).toHaveLength(4);
  expect((await reasons(it.campaignId)).map(({ error }) => error)).toEqual(dead.map(() => "unanswered"));
});

test("one in doubt whose message does not leave any more is for a human, not an error", async () => {
  const it = await arrange({
    people: 3,
    times,
    lookup: found,
    answer: (message) => (message.to.jid.startsWith("5511900000001@") ? gone : taken(message)),
  });
  await sql`update delivery set status = 2, ambiguous = true, tries = 1
    where campaign_id = ${it.campaignId} and seq < 2`.execute(db);
  await sql`update campaign set cursor = 2, pending_count = 1, waiting_count = 2 where id = ${it.campaignId}`.execute(
    db,
  );
  await it.run();
  await it.until(async () => (await it.ledger()).status === "ended", 1_000);
  expect(await it.ledger()).toMatchObject({ rows: [0, 0, 0, 0, 1, 0, 0, 2, 0, 0] });
  expect(await reasons(it.campaignId)).toEqual([{ seq: 1, error: "unanswered" }]);
});

test.each<[string, (down: () => boolean) => Parameters<typeof arrange>[0]]>([
  [
    "answers no look-up, its own number's either",
    (down) => ({ people: 3, lookup: (phone) => (down() ? silent : found(phone)) }),
  ],
  [
    "takes no message any more, although it answers about numbers",
    (down) => ({
      people: 8,
      lookup: found,
      answer: (message) =>
        Number.parseInt(message.to.jid, 10) > 5_511_900_000_002 && down() ? gone : taken(message),
    }),
  ],
  [
    "refuses everybody over their devices, from the first one on",
    (down) => ({
      people: 8,
      lookup: found,
      answer: (message) => (down() ? refused : taken(message)),
    }),
  ],
  [
    "answers about its own number alone",
    (down) => ({
      people: 6,
      lookup: (phone) => (down() && phone !== OWN_PHONE ? silent : found(phone)),
    }),
  ],
  [
    "cannot be asked about numbers",
    (down) => ({
      people: 2,
      answer: (message) =>
        down() ? gone : taken({ ...message, to: { jid: `${message.to.jid}@s.whatsapp.net`, lid: null } }),
    }),
  ],
])("an open channel that %s makes no errors, however often it is tried", async (_, options) => {
  let down = true;
  let asked = 0;
  const script = options(() => {
    asked += 1;
    return down;
  });
  const it = await arrange({ ...script, times });
  await it.run();
  await it.until(() => asked > 40, 20_000);
  expect(await it.ledger()).toMatchObject({ status: "sending" });
  down = false;
  await it.until(async () => (await it.ledger()).status === "ended", 1_000);
  const { rows, total } = await it.ledger();
  expect(rows).toEqual([0, 0, 0, 0, 0, 0, 0, total, 0, 0]);
});

test("a person who is returned each time does not come before others of a slow campaign", async () => {
  const it = await arrange({
    people: 5,
    intervalS: 60,
    times,
    lookup: found,
    answer: (message) => (message.to.jid.startsWith("5511900000000@") ? gone : taken(message)),
  });
  await it.run();
  await it.until(async () => (await it.ledger()).rows[DELIVERY.sent] === 4, 1_000);
  expect(it.phone.frames.filter(({ to }) => !to.jid.startsWith("5511900000000@"))).toHaveLength(4);
});

test("tries that stop with the channel do not add up with those before", async () => {
  let tries = 0;
  let down = false;
  const it = await arrange({
    people: 2,
    times,
    lookup: (phone) => {
      if (down) return silent;
      if (phone !== "5511900000000") return found(phone);
      tries += 1;
      if (tries === 4) down = true;
      return tries < 7 ? silent : found(phone);
    },
  });
  await it.run();
  await it.until(() => down, 1_000);
  const back = it.clock.monotonic() + 60_000;
  await it.until(() => it.clock.monotonic() > back, 1_000);
  down = false;
  await it.until(async () => (await it.ledger()).status === "ended", 1_000);
  reachedOnce(it.phone.held(), 2);
});

test.each([
  ["ends as an error as well, and others go before it", false, "error"],
  ["and that may have left before is left to a human", true, "uncertain"],
])("a single message that WhatsApp never takes %s", async (_, ambiguous, end) => {
  const it = await arrange({
    people: 2,
    times: { ...times, aside: 1_200_000 },
    lookup: (phone) => (phone === "5511988887777" ? silent : found(phone)),
  });
  const message = {
    connectionId: it.connectionId,
    to: { phone: "5511988887777" },
    text: "Oi",
    attachmentId: null,
  };
  const { id } = await enqueue(it.owner, { ...message, idempotencyKey: null, origin: "api" });
  await sql`update outbox set status = 2, ambiguous = ${ambiguous} where id = ${id}`.execute(db);
  await it.run();
  await it.until(async () => (await it.ledger()).status === "ended", 1_000);
  expect((await readOutbox(it.owner, id))?.state, "others went before it").toBe("waiting");
  await it.until(async () => {
    await sql`update outbox set not_before = null where id = ${id} and status = 2`.execute(db);
    return (await readOutbox(it.owner, id))?.error === "unanswered";
  }, 1_000);
  expect((await readOutbox(it.owner, id))?.state).toBe(end);
  reachedOnce(it.phone.held(), 2);
});

const recipient = (id: number): Recipient => ({
  kind: "direct",
  message: {
    id,
    phone: null,
    jid: "",
    text: "",
    attachmentId: null,
    messageId: "",
    tries: 0,
    ambiguous: false,
  },
  prepared: null,
  signal: new RecipientSignal(),
});
const back = { to: "waiting", at: 0, error: null, attempts: 0, ambiguous: false, delayMs: 0 } as const;
const sent = { to: "sent", at: 0, providerId: "" } as const;

test.each([
  ["is closed", false, true],
  ["another process has", true, false],
])(
  "stops of a channel that %s count against no one, whether or not others were reached",
  async (_, isOpen, owns) => {
    const phone = scriptedTransport();
    phone.setOpen(isOpen);
    const breaker = new RecipientBreaker(
      phone.transport,
      () => owns,
      () => null,
    );
    for (let tries = 0; tries < 6; tries++) {
      expect((await breaker.onStop(recipient(1), back, gone)).result).toEqual(back);
      breaker.onOutcome(recipient(2), sent);
    }
  },
);

test("without a channel check a try counts only if a person was reached since the last", async () => {
  const breaker = new RecipientBreaker(
    scriptedTransport().transport,
    () => true,
    () => null,
  );
  const ends = async () => (await breaker.onStop(recipient(1), back, gone)).result.to;
  await ends();
  breaker.onOutcome(recipient(2), sent);
  for (let tries = 0; tries < 6; tries++) expect(await ends()).toBe("waiting");
  for (let tries = 0; tries < 2; tries++) {
    breaker.onOutcome(recipient(2), sent);
    expect(await ends()).toBe("waiting");
  }
  breaker.onOutcome(recipient(2), sent);
  expect(await ends()).toBe("error");
});

test("the latest thousand suspects that never return are remembered", async () => {
  const breaker = new RecipientBreaker(
    scriptedTransport().transport,
    () => true,
    () => null,
  );
  const stopAt = (id: number) => breaker.onStop(recipient(id), back, gone);
  for (let id = 1; id <= 1_000; id++) await stopAt(id);
  const [first, second, third, stranger] = [1, 2, 3, 9_999].map(recipient) as [
    Recipient,
    Recipient,
    Recipient,
    Recipient,
  ];
  expect(breaker.suspectsLast([first, stranger])).toEqual([stranger, first]);
  await stopAt(1);
  await stopAt(1_001);
  expect(breaker.suspectsLast([first, third, second, stranger])).toEqual([second, stranger, third, first]);
});
