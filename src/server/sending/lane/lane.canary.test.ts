import { sql } from "kysely";
import { expect, test } from "vitest";
import { testDatabase } from "../../../../tests/support/database.ts";
import { laneLab } from "../../../../tests/support/lane-lab.ts";
import { planNumber } from "../../../../tests/support/sending.ts";
import { DELIVERY } from "../../../domain/delivery.ts";
import { judgeCampaigns } from "../campaigns/breaker.ts";
import { beginCanary } from "../campaigns/canary.ts";
import { storeColdPeople } from "../campaigns/plan-use.ts";
import { noteTalks } from "../ledger/known-conversations.ts";
import { recount } from "../ledger/recount.ts";

const { db, database } = await testDatabase();
const { arrange } = laneLab({ db, database });

test.each([
  ["paced", 1],
  ["as fast as they go", 0],
])(
  "31.7 20 of 129 cold people leave, %s, and a warm one behind them; the 21st leaves once they were delivered, each reached once",
  async (_, intervalS) => {
    const it = await arrange({ people: 130, intervalS });
    await planNumber(db, it.connectionId);
    await noteTalks(db, it.connectionId, [{ names: ["5511900000125"], at: new Date(), answered: false }]);
    await storeColdPeople(it.owner, it.campaignId, it.connectionId);
    await beginCanary(db, it.campaignId);
    const asked: string[] = [];
    await it.run((name) => asked.push(name));
    const sent = async () => (await it.ledger()).rows[DELIVERY.sent];
    await it.until(async () => (await sent()) === 21);
    const turns = asked.filter((name) => name.startsWith("turn")).length;
    const from = it.clock.monotonic();
    await it.until(() => it.clock.monotonic() > from + 60_000, 500);
    expect(it.phone.held().size).toBe(21);
    expect(asked.filter((name) => name.startsWith("turn")).length - turns, "it rests").toBeLessThanOrEqual(1);
    expect(await judgeCampaigns(db)).toEqual([]);
    await sql`update delivery set status = ${DELIVERY.delivered}
      where campaign_id = ${it.campaignId} and status = ${DELIVERY.sent}`.execute(db);
    await sql`update campaign set sent_count = 0, delivered_count = 21 where id = ${it.campaignId}`.execute(
      db,
    );
    expect(await judgeCampaigns(db)).toHaveLength(1);
    await it.finishes();
    const held = it.phone.held();
    expect(held.size).toBe(130);
    expect([...held.values()].every((texts) => texts.length === 1)).toBe(true);
    const ledger = await it.ledger();
    expect(ledger.rows).toEqual(ledger.counters);
    expect(await recount(db, 1)).toEqual([]);
  },
);

test("31.7 a stop after the first 20 holds: nothing more leaves", async () => {
  const it = await arrange({ people: 130 });
  await planNumber(db, it.connectionId);
  await sql`update campaign set claims_to = 20 where id = ${it.campaignId}`.execute(db);
  await it.run();
  await it.until(async () => (await it.ledger()).rows[DELIVERY.sent] === 20);
  await sql`update delivery set at = now() - interval '16 minutes' where campaign_id = ${it.campaignId} and seq < 20`.execute(
    db,
  );
  await judgeCampaigns(db);
  const from = it.clock.monotonic();
  await it.until(() => it.clock.monotonic() > from + 60_000, 500);
  expect(it.phone.held().size).toBe(20);
  expect(await it.ledger()).toMatchObject({ status: "paused", cause: "breaker_undelivered" });
});
