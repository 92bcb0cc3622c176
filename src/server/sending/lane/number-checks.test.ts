import { sql } from "kysely";
import { expect, onTestFinished, test } from "vitest";
import { testDatabase, testLog } from "../../../../tests/support/database.ts";
import { laneLab } from "../../../../tests/support/lane-lab.ts";
import { CHECK_MS } from "../../../domain/number-checks.ts";
import type { LookupResult } from "../../transports/transport.ts";
import { LANE_TIMES } from "../ledger/timing.ts";
import { audienceOf } from "../sending.ts";
import { NumberChecks } from "./number-checks.ts";

const { db, database } = await testDatabase();
const { arrange } = laneLab({ db, database });

const FIRST = 5511900000000;
const found = (phone: string): LookupResult => ({
  kind: "found",
  address: { jid: `${phone}@s.whatsapp.net`, lid: null },
});

/** A connection of two days, whose campaign waits as a draft. */
async function waitsForChecks(answer: (phone: string) => LookupResult = found, people = 4) {
  const asked: { phone: string; at: number }[] = [];
  const it = await arrange({
    people,
    lookup: (phone) => {
      asked.push({ phone, at: it.clock.monotonic() });
      return answer(phone);
    },
  });
  await sql`update campaign set status = 'draft' where id = ${it.campaignId}`.execute(db);
  await sql`update connection set created_at = now() - interval '2 days' where id = ${it.connectionId}`.execute(
    db,
  );
  const { rows } = await sql<{ id: number }>`select list_id as id from campaign
    where id = ${it.campaignId}`.execute(db);
  const question = {
    listId: rows[0]?.id ?? 0,
    audience: null,
    variables: [],
    connectionId: it.connectionId,
  };
  const audience = audienceOf(it.owner);
  const state = () => audience.countNumberChecks(question);
  const done = () => it.until(async () => (await state()).waiting === 0, "next");
  return { ...it, asked, state, done, ask: () => audience.askNumberChecks(question) };
}

test("numbers that wait are asked about one by one, slowly, and the answers leave people out", async () => {
  const absent = String(FIRST + 2);
  const it = await waitsForChecks((phone) => (phone === absent ? { kind: "absent" } : found(phone)));
  expect(await it.state()).toEqual({ unchecked: 4, waiting: 0, may: "yes" });
  expect(await it.ask()).toEqual({ unchecked: 0, waiting: 4, may: "yes" });
  await it.run();
  await it.done();
  expect(it.asked.map(({ phone }) => Number(phone) - FIRST).sort()).toEqual([0, 1, 2, 3]);
  for (const [nth, { at }] of it.asked.entries())
    expect(at - (it.asked[nth - 1]?.at ?? Number.NEGATIVE_INFINITY)).toBeGreaterThanOrEqual(CHECK_MS * 0.75);
  expect(await it.state()).toEqual({ unchecked: 0, waiting: 0, may: "yes" });
  const { rows } = await sql<{ phone: string }>`select phone::text as phone from wa_address
    where jid is null`.execute(db);
  expect(rows).toEqual([{ phone: absent }]);
});

test("those that were asked about lately, or talked with the number, are not asked about", async () => {
  const it = await waitsForChecks();
  await sql`insert into wa_address (phone, jid) values (${FIRST}, null)`.execute(db);
  await sql`insert into known_conversation (connection_id, address, last_in_at)
    values (${it.connectionId}, ${String(FIRST + 1)}, now())`.execute(db);
  expect(await it.ask()).toMatchObject({ waiting: 2 });
  expect(await it.ask(), "a second press asks nothing more").toMatchObject({ waiting: 2 });
});

test("a stop of the channel or of new conversations keeps them waiting, and a new owner goes on", async () => {
  let stopped = true;
  const it = await waitsForChecks((phone) =>
    stopped ? { kind: "stop", cause: "new_conversation", retryAt: null } : found(phone),
  );
  await it.ask();
  const lane = await it.run();
  await it.until(() => it.asked.length === 2, "next");
  const [first, second] = it.asked;
  expect(first?.phone).toBe(second?.phone);
  expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(60_000);
  expect(await it.state()).toMatchObject({ waiting: 4 });
  await lane.close(1_000);
  stopped = false;
  await it.run();
  await it.done();
});

test("a number of less than a day asks nothing", async () => {
  const it = await waitsForChecks();
  await sql`update connection set created_at = now() - interval '23 hours' where id = ${it.connectionId}`.execute(
    db,
  );
  expect(await it.state()).toMatchObject({ unchecked: 4, may: "new_number" });
  await expect(it.ask()).rejects.toMatchObject({ code: "number_checks_refused" });
  expect(await it.state()).toMatchObject({ waiting: 0 });
});

test("numbers that are asked for while the lane looks for others are not overlooked", async () => {
  const it = await waitsForChecks();
  const read = Promise.withResolvers<void>();
  const answered = Promise.withResolvers<void>();
  const held = db.withPlugin({
    transformQuery: ({ node }) => node,
    transformResult: async ({ result }) => {
      read.resolve();
      await answered.promise;
      return result;
    },
  });
  const { connectionId, clock, phone } = it;
  const checks = new NumberChecks({
    connectionId,
    db: held,
    transport: phone.transport,
    mayAct: () => true,
    after: clock.after,
    random: () => 0.5,
    times: LANE_TIMES,
    log: testLog,
  });
  onTestFinished(() => checks.close());
  await read.promise;
  await it.ask();
  checks.wake();
  answered.resolve();
  await it.done();
  expect(it.asked).toHaveLength(4);
});
