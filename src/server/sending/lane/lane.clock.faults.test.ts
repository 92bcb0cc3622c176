import { sql } from "kysely";
import { expect, test } from "vitest";
import { testDatabase } from "../../../../tests/support/database.ts";
import { laneLab } from "../../../../tests/support/lane-lab.ts";
import { DELIVERY } from "../../../domain/delivery.ts";

const { db, database } = await testDatabase();
const { arrange } = laneLab({ db, database });

test("F20 a message that seems to be sent in the future neither stalls nor hurries the lane", async () => {
  const it = await arrange({ people: 2, intervalS: 60 });
  await sql`update campaign set last_sent_at = now() + interval '1 day', claimed_at = now() + interval '1 day'
    where id = ${it.campaignId}`.execute(db);
  await it.run();
  await it.until(() => it.phone.frames.length === 1, 200);
  expect(it.clock.monotonic()).toBeLessThan(70_000);
});

test("F20 after the database's clock goes back a day, returned people do not wait until that time", async () => {
  const it = await arrange({
    people: 2,
    answer: ({ messageId }, nth) => {
      if (nth > 1) return { kind: "accepted", providerId: messageId, at: Date.now() };
      return it.phone.frames.length === 1
        ? { kind: "refused", code: "wa_500", passing: true }
        : { kind: "ambiguous", reason: "no_ack" };
    },
  });
  const waiting = async () => (await it.ledger()).rows[2] === 2;
  it.phone.transport.readyFor = () => 0;
  await it.run();
  await it.until(waiting, 0);
  await sql`update delivery set not_before = not_before + interval '1 day' where campaign_id = ${it.campaignId}`.execute(
    db,
  );
  it.phone.transport.readyFor = () => 60_000;
  await it.finishes();
  expect((await it.ledger()).rows[DELIVERY.sent]).toBe(2);
});

test.each([
  ["an hour ahead", 3_600_000],
  ["an hour back", -3_600_000],
  ["a day ahead", 86_400_000],
  ["a day back", -86_400_000],
])("F20 the clock jumps %s amid a campaign: the pace stays the same", async (_, jumpMs) => {
  const at: number[] = [];
  const it = await arrange({
    people: 4,
    intervalS: 60,
    answer: ({ messageId }) => {
      at.push(it.clock.monotonic());
      return { kind: "accepted", providerId: messageId, at: it.clock.now().getTime() };
    },
  });
  await it.run();
  await it.until(() => at.length === 2, 500);
  const { now } = it.clock;
  it.clock.now = () => new Date(now().getTime() + jumpMs);
  await it.until(async () => (await it.ledger()).status === "ended", 500);
  const gaps = at.slice(1).map((time, nth) => time - (at[nth] ?? 0));
  expect(gaps).toHaveLength(3);
  expect(Math.min(...gaps)).toBeGreaterThanOrEqual(59_000);
  expect(Math.max(...gaps)).toBeLessThan(1_800_000);
});
