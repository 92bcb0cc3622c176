import { sql } from "kysely";
import { expect, test, vi } from "vitest";
import { tickCampaigns } from "../../../../tests/support/campaign-clock.ts";
import { testDatabase } from "../../../../tests/support/database.ts";
import { laneLab } from "../../../../tests/support/lane-lab.ts";
import { makeAccount, makeCampaign, makeConnection, readLedger } from "../../../../tests/support/sending.ts";
import { DELIVERY } from "../../../domain/delivery.ts";
import { ownerOf } from "../../db/owner.ts";
import type { Outcome, WireMessage } from "../../transports/transport.ts";
import { cancelAll } from "../ownership/suspension.ts";
import { startNext } from "./audience.ts";
import { startDue } from "./campaign-clock.ts";
import { cancelCampaign, confirmMissed, pauseCampaign, resumeCampaign } from "./campaign-status.ts";
import { sweepCancelled } from "./campaign-sweeps.ts";
import { optOut } from "./opt-out.ts";

const { db, database } = await testDatabase();
const { arrange } = laneLab({ db, database });

const pauseMs = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Rations a channel's answers (1 ms each): otherwise the campaign could end before a slow database acts. */
function rationed() {
  let left = 0;
  let more = Promise.withResolvers<void>();
  return {
    async answer({ messageId }: WireMessage): Promise<Outcome> {
      await pauseMs(1);
      left -= 1;
      if (left < 0) await more.promise;
      return { kind: "accepted", providerId: messageId, at: Date.now() };
    },
    ration(answers: number) {
      left = answers;
      more = Promise.withResolvers<void>();
    },
    goOn: () => more.resolve(),
  };
}

test("F40 200 pauses during claims and sends: nothing leaves after the notice, no one is lost or duplicated", async () => {
  const people = 1_500;
  const { answer, ration, goOn } = rationed();
  const it = await arrange({ people, answer });
  const lane = await it.run();
  let late = 0;
  for (let pauses = 0; pauses < 200; pauses++) {
    ration(6);
    await pauseMs(pauses % 7);
    await pauseCampaign(it.owner, it.campaignId);
    lane.wake();
    const before = it.phone.frames.length;
    goOn();
    await it.until(async () => (await it.ledger()).rows[1] === 0, 10);
    late += it.phone.frames.length - before;
    await resumeCampaign(it.owner, it.campaignId);
    lane.wake();
  }
  expect(late).toBe(0);
  ration(people);
  await it.finishes();
  expect(it.phone.frames).toHaveLength(people);
  expect(it.phone.held().size).toBe(people);
  const ledger = await it.ledger();
  expect(ledger.rows).toEqual(ledger.counters);
});

test("a pause of which a lane hears only by what it records stops those who stand behind a message as well", async () => {
  const { answer, ration, goOn } = rationed();
  ration(1);
  const it = await arrange({ people: 4, answer });
  await it.run();
  await it.until(() => it.phone.frames.length === 2, 0);
  await pauseCampaign(it.owner, it.campaignId);
  await it.until(async () => (await it.ledger()).rows[2] === 2);
  expect(it.clock.monotonic()).toBeLessThan(5_000);
  goOn();
  await it.until(async () => (await it.ledger()).rows[DELIVERY.sent] === 2);
  expect(it.phone.frames).toHaveLength(2);
});

test("F40 cancels at any moment leave everybody in a last state, and only what was on the wire is sent after", async () => {
  for (let run = 0; run < 20; run++) {
    const { answer, ration, goOn } = rationed();
    ration(50);
    const it = await arrange({ people: 60, answer });
    const lane = await it.run();
    await pauseMs(run * 2);
    await cancelCampaign(it.owner, it.campaignId);
    lane.wake();
    const before = it.phone.frames.length;
    goOn();
    await it.until(async () => {
      await sweepCancelled(db);
      const { rows } = await it.ledger();
      return rows[0] === 0 && rows[1] === 0 && rows[2] === 0;
    }, 10);
    expect(it.phone.frames).toHaveLength(before);
    const ledger = await it.ledger();
    expect(ledger.rows).toEqual(ledger.counters);
    expect(ledger.rows[DELIVERY.sent]).toBe(before);
    await lane.close(1_000);
  }
});

test.each([
  ["their number is looked up", "lookup"],
  ["their device is asked about", "send"],
])(
  "F40 a person not yet in flight when a campaign is paused or cancelled, as %s, gets nothing",
  async (_, slow) => {
    let answered = Promise.withResolvers<void>();
    let asked = 0;
    const answer = async () => {
      asked += 1;
      await answered.promise;
    };
    const written: string[] = [];
    const attempted = vi.fn();
    const it = await arrange({
      people: 2,
      figures: { kind: "device", attempted },
      answer: async ({ to, messageId, signal }) => {
        if (slow === "send") await answer();
        if (signal?.aborted) return { kind: "stop", cause: "not_connected", retryAt: null };
        written.push(to.jid);
        return { kind: "accepted", providerId: messageId, at: Date.now() };
      },
    });
    it.phone.transport.lookup = async (phone) => {
      if (slow === "lookup") await answer();
      return { kind: "found", address: { jid: `${phone}@s.whatsapp.net`, lid: null } };
    };
    await sql`delete from wa_address`.execute(db);
    const lane = await it.run();
    const state = async (code: number) => (await it.ledger()).rows[code];
    const halt = async (act: typeof pauseCampaign, times: number) => {
      await it.until(() => asked === times);
      await act(it.owner, it.campaignId);
      lane.wake();
      await it.until(async () => (await state(DELIVERY.waiting)) === 1);
      answered.resolve();
      await it.until(async () => (await state(DELIVERY.sending)) === 0);
      expect(written).toEqual([]);
      expect(attempted).not.toHaveBeenCalled();
      answered = Promise.withResolvers();
    };
    await halt(pauseCampaign, 1);
    await resumeCampaign(it.owner, it.campaignId);
    await sql`delete from wa_address`.execute(db);
    lane.wake();
    await halt(cancelCampaign, 2);
    await sweepCancelled(db);
    expect(await state(DELIVERY.skipped)).toBe(2);
  },
);

test("F22 a schedule missed by hours waits for a human, who cannot merely resume it @decision 12", async () => {
  const accountId = await makeAccount(db);
  const owner = ownerOf(db, accountId);
  const connectionId = await makeConnection(db, accountId);
  const id = await makeCampaign(db, accountId, { people: 3, connectionId, status: "scheduled" });
  await sql`update campaign set scheduled_at = now() - interval '3 hours' where id = ${id}`.execute(db);
  await startDue(db);
  expect(await readLedger(db, id)).toMatchObject({ status: "paused", cause: "missed" });
  await expect(resumeCampaign(owner, id)).rejects.toMatchObject({ code: "campaign_wrong_state" });
  const { rows } = await sql<{ list: number }>`select list_id as list from campaign where id = ${id}`.execute(
    db,
  );
  await sql`update campaign set list_id = null where id = ${id}`.execute(db);
  await expect(confirmMissed(owner, id)).rejects.toMatchObject({ code: "campaign_list_empty" });
  expect(await readLedger(db, id)).toMatchObject({ status: "paused", cause: "missed" });
  await sql`update campaign set list_id = ${rows[0]?.list} where id = ${id}`.execute(db);
  await confirmMissed(owner, id);
  await startNext(database);
  expect(await readLedger(db, id)).toMatchObject({ status: "sending", cause: null, total: 3 });
  await expect(confirmMissed(owner, id)).rejects.toMatchObject({ code: "campaign_wrong_state" });
});

test("a campaign paused before its audience was frozen starts when it is resumed", async () => {
  const accountId = await makeAccount(db);
  const owner = ownerOf(db, accountId);
  const connectionId = await makeConnection(db, accountId);
  const id = await makeCampaign(db, accountId, { people: 3, connectionId });
  await pauseCampaign(owner, id);
  expect(await startNext(database)).toBeNull();
  const resumed = (chosen: number | null, desired: string) =>
    db.transaction().execute(async (tx) => {
      await sql`update campaign set connection_id = ${chosen} where id = ${id}`.execute(tx);
      await sql`update connection set desired = ${desired} where id = ${connectionId}`.execute(tx);
      await resumeCampaign(owner.in(tx), id);
    });
  await expect(resumed(connectionId, "removed")).rejects.toMatchObject({
    code: "campaign_connection_required",
  });
  await expect(resumed(null, "removed")).rejects.toMatchObject({ code: "campaign_no_default_connection" });
  await resumed(connectionId, "connected");
  expect(await startNext(database)).toMatchObject({ campaignId: id });
  expect(await readLedger(db, id)).toMatchObject({ status: "sending", total: 3, sum: 3 });
});

test("an account deleted during its campaign does not keep other accounts' campaigns from starting", async () => {
  const leaving = await makeAccount(db);
  const connectionId = await makeConnection(db, leaving);
  const gone = await makeCampaign(db, leaving, { people: 20, connectionId });
  await startNext(database);
  await sql`update account set removed_at = now() where id = ${leaving}`.execute(db);
  await cancelAll(ownerOf(db, leaving));
  await sql`delete from delivery where campaign_id = ${gone}`.execute(db);

  let notifications = 0;
  const tick = () =>
    tickCampaigns(database, () => {
      notifications += 1;
      if (notifications > 100) throw new Error("it looks at the same campaign for ever");
    });
  await tick();
  const staying = await makeAccount(db);
  const other = await makeConnection(db, staying);
  const campaignId = await makeCampaign(db, staying, { people: 3, connectionId: other });
  await tick();
  expect(await readLedger(db, campaignId)).toMatchObject({ status: "sending", total: 3 });
});

test("a campaign whose counters went wrong is swept once, not for ever", async () => {
  const accountId = await makeAccount(db);
  const connectionId = await makeConnection(db, accountId);
  const campaignId = await makeCampaign(db, accountId, { people: 5, connectionId });
  await startNext(database);
  await cancelCampaign(ownerOf(db, accountId), campaignId);
  await sql`update campaign set pending_count = pending_count + 1 where id = ${campaignId}`.execute(db);
  expect(await sweepCancelled(db)).toEqual([{ accountId, campaignId }]);
  expect(await sweepCancelled(db)).toEqual([]);
});

test("while a large cancelled campaign is swept, a campaign whose hour comes starts all the same", async () => {
  const accountId = await makeAccount(db);
  const connectionId = await makeConnection(db, accountId);
  const large = await makeCampaign(db, accountId, { people: 22_000, connectionId });
  await startNext(database);
  await cancelCampaign(ownerOf(db, accountId), large);
  const other = await makeAccount(db);
  const theirs = await makeConnection(db, other);
  const scheduled = await makeCampaign(db, other, { people: 2, connectionId: theirs, status: "scheduled" });
  await sql`update campaign set scheduled_at = now() where id = ${scheduled}`.execute(db);
  const notifications: number[] = [];
  await tickCampaigns(database, ({ campaignId }) => notifications.push(campaignId));
  expect(await readLedger(db, scheduled)).toMatchObject({ status: "sending" });
  expect(notifications.at(-1)).toBe(large);
  const { rows } = await readLedger(db, large);
  expect(rows[3]).toBe(22_000);
});

test("a stopped campaign whose last people opt out ends without being resumed", async () => {
  const accountId = await makeAccount(db);
  const owner = ownerOf(db, accountId);
  const connectionId = await makeConnection(db, accountId);
  const [firstPhone, people] = [5_511_977_000_000, 2];
  const one = { people, firstPhone, connectionId };
  const paused = await makeCampaign(db, accountId, one);
  const down = await makeCampaign(db, accountId, one);
  const other = await makeCampaign(db, accountId, { ...one, people: 3 });
  while (await startNext(database));
  await pauseCampaign(owner, paused);
  for (const phone of [firstPhone, firstPhone + 1])
    await optOut(owner, { phone: String(phone), source: "manual", connectionId: null, text: null });
  const changed: number[] = [];
  await tickCampaigns(database, ({ campaignId }) => {
    changed.push(campaignId);
  });
  for (const id of [paused, down]) {
    expect(await readLedger(db, id)).toMatchObject({ status: "ended", cause: null });
    expect(changed).toContain(id);
  }
  expect((await readLedger(db, other)).status).toBe("sending");
});
