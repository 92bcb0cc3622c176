import { sql } from "kysely";
import { expect, onTestFinished, test } from "vitest";
import { testDatabase } from "../../../../tests/support/database.ts";
import { makeAccount, makeCampaign, makeConnection, readLedger } from "../../../../tests/support/sending.ts";
import { unhurried } from "../../../../tests/support/waiting.ts";
import { systemClock } from "../../base/clock.ts";
import type { Db } from "../../db/client.ts";
import { isDatabaseDown } from "../../db/errors.ts";
import { ownerOf } from "../../db/owner.ts";
import { FairQueues } from "../../jobs/fair-queue.ts";
import { startNext } from "./audience.ts";
import { CampaignClock, startDue } from "./campaign-clock.ts";
import { cancelCampaign } from "./campaign-status.ts";
import { holdOptOuts, optOut } from "./opt-out.ts";

const { db, database } = await testDatabase();

const LARGE = 20_001;

async function account() {
  const accountId = await makeAccount(db);
  return { accountId, connectionId: await makeConnection(db, accountId) };
}

function openClock() {
  const changed: number[] = [];
  const failures: unknown[] = [];
  const clock = new CampaignClock({
    database,
    queues: new FairQueues(systemClock),
    changed: (one) => changed.push(one.campaignId),
    failed: (error) => failures.push(error),
  });
  onTestFinished(async () => {
    await clock.stop();
    expect(failures.filter((error) => !isCutOff(error))).toEqual([]);
  });
  return { clock, changed };
}

const statusOf = async (campaignId: number) => (await readLedger(db, campaignId)).status;

async function whileHeld(hold: (tx: Db) => Promise<unknown>, check: () => Promise<void>): Promise<void> {
  await unhurried(db, async (tx) => {
    await hold(tx);
    await check();
  });
}

const isCutOff = (error: unknown) =>
  isDatabaseDown(error) || (error instanceof Error && "code" in error && error.code === "55P03");

const soon = { timeout: 30_000 };

test.each([
  ["large", LARGE],
  ["small", 1],
])(
  "F4a while a %s start of one account stands, another's «now» campaign and a scheduled one begin",
  async (_, people) => {
    const busy = await account();
    for (let n = 0; n < 3; n++)
      await makeCampaign(db, busy.accountId, { people, connectionId: busy.connectionId });
    const other = await account();
    const now = await makeCampaign(db, other.accountId, { people: 1, connectionId: other.connectionId });
    const { clock } = openClock();
    await whileHeld(
      (tx) => holdOptOuts(tx, busy.accountId, "leave"),
      async () => {
        clock.look();
        await expect.poll(() => statusOf(now), soon).toBe("sending");
        const due = await makeCampaign(db, other.accountId, {
          people: 1,
          status: "scheduled",
          connectionId: other.connectionId,
        });
        await sql`update campaign set scheduled_at = now() where id = ${due}`.execute(db);
        clock.look();
        await expect.poll(() => statusOf(due), soon).toBe("sending");
        const { rows } =
          await sql`select from campaign where account_id = ${busy.accountId}::uuid and status = 'starting'`.execute(
            db,
          );
        expect(rows).toHaveLength(3);
      },
    );
  },
);

test("F4a two accounts' large starts stand, and a third one's small campaign begins", async () => {
  const busy = [await account(), await account()];
  for (const one of busy)
    await makeCampaign(db, one.accountId, { people: LARGE, connectionId: one.connectionId });
  const other = await account();
  const now = await makeCampaign(db, other.accountId, { people: 1, connectionId: other.connectionId });
  const { clock } = openClock();
  await whileHeld(
    (tx) => Promise.all(busy.map((one) => holdOptOuts(tx, one.accountId, "leave"))),
    async () => {
      clock.look();
      await expect.poll(() => statusOf(now), soon).toBe("sending");
    },
  );
});

test("F4a another account's campaign does not begin behind the many of one account", async () => {
  const busy = await account();
  const many: number[] = [];
  for (let n = 0; n < 12; n++)
    many.push(await makeCampaign(db, busy.accountId, { people: 100, connectionId: busy.connectionId }));
  const other = await account();
  const now = await makeCampaign(db, other.accountId, { people: 1, connectionId: other.connectionId });
  const { clock, changed } = openClock();
  clock.look();
  await clock.idle();
  const order = changed.filter((id) => id === now || many.includes(id));
  expect(order.toSorted((a, b) => a - b)).toEqual([...many, now]);
  expect(order.indexOf(now)).toBeLessThan(many.length / 2);
});

test("F4a a look moves on a bounded number of an account's due campaigns, and all of the others'", async () => {
  const busy = await account();
  const first = await makeCampaign(db, busy.accountId, {
    people: 1,
    status: "scheduled",
    connectionId: busy.connectionId,
  });
  await sql`insert into campaign (account_id, name, text, connection_id, list_id, interval_seconds, jitter_seconds, zone, status, nonce)
    select account_id, name, text, connection_id, list_id, interval_seconds, jitter_seconds, zone, status, nonce + i
    from campaign, generate_series(1, 149) i where id = ${first}`.execute(db);
  const other = await account();
  const due = await makeCampaign(db, other.accountId, {
    people: 1,
    status: "scheduled",
    connectionId: other.connectionId,
  });
  await sql`update campaign set scheduled_at = now() - interval '2 seconds' where status = 'scheduled'`.execute(
    db,
  );
  const moved = await startDue(db);
  expect(moved.filter((one) => one.accountId === busy.accountId)).toHaveLength(100);
  expect(moved).toContainEqual({ accountId: other.accountId, campaignId: due });
  expect(await startDue(db)).toHaveLength(50);
  await sql`delete from campaign where account_id = ${busy.accountId}::uuid`.execute(db);
});

test("F12 nothing of an account that is being deleted begins, neither scheduled nor already due", async () => {
  const leaving = await account();
  const scheduled = await makeCampaign(db, leaving.accountId, {
    people: 1,
    status: "scheduled",
    connectionId: leaving.connectionId,
  });
  const starting = await makeCampaign(db, leaving.accountId, {
    people: 1,
    connectionId: leaving.connectionId,
  });
  await sql`update campaign set scheduled_at = now() where id = ${scheduled}`.execute(db);
  await sql`update account set removed_at = now() where id = ${leaving.accountId}::uuid`.execute(db);
  const { clock } = openClock();
  clock.look();
  await clock.idle();
  expect(await statusOf(scheduled)).toBe("scheduled");
  expect(await statusOf(starting)).toBe("starting");
  expect(await startNext(database)).toBeNull();
});

test("F4a while a cancelled campaign of one account stands, others' cancelled people and those who opted out are settled", async () => {
  const busy = await account();
  const stuck = await makeCampaign(db, busy.accountId, { people: 3, connectionId: busy.connectionId });
  const other = await account();
  const cancelled = await makeCampaign(db, other.accountId, { people: 3, connectionId: other.connectionId });
  const left = await makeCampaign(db, other.accountId, { people: 3, connectionId: other.connectionId });
  while (await startNext(database));
  for (const [one, id] of [
    [busy, stuck],
    [other, cancelled],
  ] as const)
    await cancelCampaign(ownerOf(db, one.accountId), id);
  const phone = "5511900000000";
  await optOut(ownerOf(db, other.accountId), { phone, source: "manual", connectionId: null, text: null });
  await sql`update delivery set status = 2, error = null where campaign_id = ${left} and seq = 0`.execute(db);
  await sql`update campaign set cursor = 1, skipped_count = skipped_count - 1, waiting_count = waiting_count + 1 where id = ${left}`.execute(
    db,
  );
  const { clock } = openClock();
  const settled = async () => [
    (await readLedger(db, cancelled)).rows[3],
    (await readLedger(db, left)).rows[3],
  ];
  await whileHeld(
    (tx) => sql`select from delivery where campaign_id = ${stuck} for update`.execute(tx),
    async () => {
      clock.look();
      await expect.poll(settled, soon).toEqual([3, 1]);
      expect((await readLedger(db, stuck)).rows[3]).toBe(0);
    },
  );
  clock.look();
  await expect.poll(async () => (await readLedger(db, stuck)).rows[3], soon).toBe(3);
});
