import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import { expect, test } from "vitest";
import { testDatabase } from "../../../../tests/support/database.ts";
import {
  makeAccount,
  makeCampaign,
  makeConnection,
  planNumber,
  readLedger,
} from "../../../../tests/support/sending.ts";
import type { BreakerFailure } from "../../../domain/breaker.ts";
import { DELIVERY } from "../../../domain/delivery.ts";
import { ownerOf } from "../../db/owner.ts";
import type { StateReport } from "../../transports/transport.ts";
import { LaneConnection } from "../lane/lane-host.ts";
import { noteTalks } from "../ledger/known-conversations.ts";
import { acquireConnection } from "../ownership/acquire.ts";
import { campaignsOf } from "../sending.ts";
import { startNext } from "./audience.ts";
import { judgeCampaigns } from "./breaker.ts";
import { resumeCampaign } from "./campaign-status.ts";

const { db, database } = await testDatabase();

const FIRST = 5_511_900_000_000;
const minutesAgo = (minutes: number) => sql`now() - ${minutes} * interval '1 minute'`;

async function arrange({ people = 120, warm = 0, planned = true } = {}) {
  const accountId = await makeAccount(db);
  const connectionId = await makeConnection(db, accountId);
  if (planned) await planNumber(db, connectionId);
  const talks = Array.from({ length: warm }, (_, i) => ({
    names: [String(FIRST + i)],
    at: new Date(),
    answered: false,
  }));
  await noteTalks(db, connectionId, talks);
  const campaignId = await makeCampaign(db, accountId, { people, connectionId });
  await startNext(database);
  const campaign = async () => {
    const { rows } = await sql<{ claimsTo: number | null; breaker: unknown; status: string; cause: string }>`
      select claims_to as "claimsTo", breaker, status, pause_reason as cause from campaign where id = ${campaignId}`.execute(
      db,
    );
    return rows[0];
  };
  /** Delivered, except the last ones. */
  async function sent(upTo: number, failed: Partial<Record<BreakerFailure, number>> = {}, minutes = 20) {
    await sql`update delivery set status = ${DELIVERY.delivered}, at = ${minutesAgo(minutes)}
      where campaign_id = ${campaignId} and seq < ${upTo}`.execute(db);
    const { refused = 0, absent = 0, undelivered = 0, leaving = 0 } = failed;
    const state = (status: number, error: string | null, count: number) =>
      sql`update delivery set status = ${status}, error = ${error}
        where campaign_id = ${campaignId} and seq >= ${upTo - count} and seq < ${upTo}`.execute(db);
    await state(DELIVERY.error, "wa_479", refused);
    await state(DELIVERY.error, "not_on_whatsapp", absent);
    await state(DELIVERY.sent, null, undelivered);
    await sql`insert into opt_out (account_id, phone, source)
      select ${accountId}::uuid, phone, 'reply' from delivery
      where campaign_id = ${campaignId} and seq >= ${upTo - leaving} and seq < ${upTo} on conflict do nothing`.execute(
      db,
    );
    await sql`update campaign set cursor = ${upTo}, pending_count = total - ${upTo}, delivered_count = ${upTo}
      where id = ${campaignId}`.execute(db);
  }
  const judge = async () =>
    (await judgeCampaigns(db)).filter((one) => one.campaignId === campaignId).length > 0;
  const report = async (said: Partial<StateReport>) => {
    const taken = await acquireConnection(db, connectionId, randomUUID(), "resend");
    const host = new LaneConnection({
      db,
      taken,
      mayAct: () => true,
      lost: () => undefined,
      mark: () => undefined,
    } as unknown as ConstructorParameters<typeof LaneConnection>[0]);
    await host.report({
      state: "disconnected",
      cause: null,
      causeUntil: null,
      qr: null,
      ...said,
    } as StateReport);
  };
  const owner = ownerOf(db, accountId);
  const released = () => sql`update campaign set claims_to = null where id = ${campaignId}`.execute(db);
  return { accountId, connectionId, campaignId, campaign, owner, report, sent, judge, released };
}

test("31.7 over 100 cold people begin with 20 of them; warm people do not count, nor numbers without a plan", async () => {
  const endOf = async (options: Parameters<typeof arrange>[0]) =>
    (await (await arrange(options)).campaign())?.claimsTo;
  expect(await endOf({ people: 101 })).toBe(20);
  expect(await endOf({ people: 100 })).toBeNull();
  expect(await endOf({ people: 110, warm: 10 })).toBeNull();
  expect(await endOf({ people: 111, warm: 10 })).toBe(30);
  expect(await endOf({ people: 200, planned: false })).toBeNull();
});

test("31.7 warm people who got it, behind the first cold ones, do not hide what became of these", async () => {
  const it = await arrange();
  await it.sent(20, { undelivered: 7 });
  await sql`update delivery set status = ${DELIVERY.delivered}, at = ${minutesAgo(1)}
    where campaign_id = ${it.campaignId} and seq >= 20 and seq < 60`.execute(db);
  await sql`update campaign set claimed_to = 60 where id = ${it.campaignId}`.execute(db);
  expect(await it.judge()).toBe(true);
  expect(await it.campaign()).toMatchObject({ status: "paused", cause: "breaker_undelivered" });
});

test.each<[BreakerFailure, number]>([
  ["refused", 2],
  ["absent", 6],
  ["leaving", 1],
  ["undelivered", 6],
])("31.7 the first 20: %s, %i go on, one more stops", async (failure, most) => {
  const good = await arrange();
  await good.sent(20, { [failure]: most });
  expect(await good.judge()).toBe(true);
  expect(await good.campaign()).toMatchObject({ claimsTo: null, status: "sending", breaker: null });
  const bad = await arrange();
  await bad.sent(20, { [failure]: most + 1 });
  expect(await bad.judge()).toBe(true);
  const stopped = await bad.campaign();
  expect(stopped).toMatchObject({ claimsTo: 20, status: "paused", cause: `breaker_${failure}` });
  expect(stopped?.breaker).toMatchObject({ judged: 20, count: most + 1 });
});

test("31.7 the first 20 are awaited for 15 minutes, or until all have receipts", async () => {
  const it = await arrange();
  await it.sent(19);
  expect(await it.judge(), "one has not left").toBe(false);
  await it.sent(20, { undelivered: 1 }, 14);
  expect(await it.judge()).toBe(false);
  await sql`update campaign set waiting_count = 1 where id = ${it.campaignId}`.execute(db);
  await it.sent(20, {}, 0);
  expect(await it.judge(), "one waits for another try").toBe(false);
  await sql`update campaign set waiting_count = 0 where id = ${it.campaignId}`.execute(db);
  expect(await it.judge()).toBe(true);
  expect((await it.campaign())?.claimsTo).toBeNull();
});

test.each<[BreakerFailure, number]>([
  ["refused", 5],
  ["absent", 15],
  ["leaving", 2],
  ["undelivered", 15],
])("31.7 the last 50: %s, %i go on, one more stops", async (failure, most) => {
  const it = await arrange();
  await it.released();
  await it.sent(100, { [failure]: most });
  expect(await it.judge()).toBe(false);
  await it.sent(100, { [failure]: most + 1 });
  expect(await it.judge()).toBe(true);
  const stopped = await it.campaign();
  expect(stopped).toMatchObject({ status: "paused", cause: `breaker_${failure}` });
  expect(stopped?.breaker).toMatchObject({ judged: 50, count: most + 1 });
  expect(await it.judge(), "it has stopped").toBe(false);
  const { rows } = await sql`select kind, details from audit_event where account_id = ${it.accountId}::uuid
    and kind = 'campaign_paused'`.execute(db);
  expect(rows).toEqual([{ kind: "campaign_paused", details: { cause: `breaker_${failure}` } }]);
});

test("31.7 with 49 outcomes nothing is judged, and what lies before the last 50 is past", async () => {
  const few = await arrange();
  await few.released();
  await few.sent(49, { refused: 49 });
  expect(await few.judge()).toBe(false);
  const past = await arrange();
  await past.released();
  await past.sent(60, { refused: 60 });
  await sql`update delivery set status = ${DELIVERY.read}, error = null, at = now()
    where campaign_id = ${past.campaignId} and seq >= 10 and seq < 60`.execute(db);
  expect(await past.judge()).toBe(false);
});

test("31.7 messages of the last 15 minutes may still be delivered", async () => {
  const it = await arrange();
  await it.released();
  await it.sent(60, { undelivered: 60 }, 14);
  expect(await it.judge()).toBe(false);
  await it.sent(60, { undelivered: 60 }, 16);
  expect(await it.judge()).toBe(true);
});

test("31.7 campaigns of a number without a plan are not judged", async () => {
  const it = await arrange({ planned: false });
  await it.sent(100, { refused: 50 });
  expect(await it.judge()).toBe(false);
  expect((await readLedger(db, it.campaignId)).status).toBe("sending");
});

test("31.7 «Continuar» needs a reason, keeps it in the activity, and judges only people written to since", async () => {
  const it = await arrange();
  await it.released();
  await it.sent(60, { absent: 60 });
  await it.judge();
  await expect(campaignsOf(it.owner).resume(it.campaignId)).rejects.toMatchObject({
    code: "campaign_reason_required",
  });
  expect((await it.campaign())?.status).toBe("paused");
  await campaignsOf(it.owner).resumeDespite(it.campaignId, "Conferi a lista com a loja");
  expect(await it.campaign()).toMatchObject({ status: "sending", cause: null, breaker: null });
  const { rows } = await sql`select details from audit_event where account_id = ${it.accountId}::uuid
    and kind = 'campaign_resumed'`.execute(db);
  expect(rows).toEqual([{ details: { reason: "Conferi a lista com a loja" } }]);
  expect(await it.judge()).toBe(false);
  await sql`update delivery set status = ${DELIVERY.error}, error = 'not_on_whatsapp', at = now() + interval '1 second'
    where campaign_id = ${it.campaignId} and seq >= 60 and seq < 109`.execute(db);
  await sql`update campaign set cursor = 109 where id = ${it.campaignId}`.execute(db);
  expect(await it.judge(), "49 since").toBe(false);
  await sql`update delivery set status = ${DELIVERY.error}, error = 'not_on_whatsapp', at = now() + interval '1 second'
    where campaign_id = ${it.campaignId} and seq = 109`.execute(db);
  await sql`update campaign set cursor = 110 where id = ${it.campaignId}`.execute(db);
  expect(await it.judge()).toBe(true);
});

test("31.7 after the first 20 failed, a person may go on with all others", async () => {
  const it = await arrange();
  await it.sent(20, { refused: 3 });
  await it.judge();
  await resumeCampaign(it.owner, it.campaignId, "A imagem era grande demais");
  expect(await it.campaign()).toMatchObject({ status: "sending", claimsTo: null });
});

test.each([
  ["banned", "number_banned"],
  ["logged_out", "number_logged_out"],
])("31.7 a number that is %s stops its campaigns until a person says why they go on", async (cause, stop) => {
  const it = await arrange();
  await it.report({ cause });
  expect(await it.judge()).toBe(true);
  expect(await it.campaign()).toMatchObject({ status: "paused", cause: stop, claimsTo: 20 });
  await expect(resumeCampaign(it.owner, it.campaignId)).rejects.toMatchObject({
    code: "campaign_reason_required",
  });
  await resumeCampaign(it.owner, it.campaignId, "O número voltou");
  await it.report({ cause });
  expect(await it.judge(), "the same end, reported again").toBe(false);
  expect(await it.campaign()).toMatchObject({ status: "sending", claimsTo: 20 });
});

test("31.7 the phone's own network trouble, and numbers without a plan, stop nothing", async () => {
  const it = await arrange();
  await it.report({ cause: "network" });
  await it.report({ state: "connected", cause: null });
  expect(await it.judge()).toBe(false);
  const other = await arrange({ planned: false });
  await other.report({ cause: "banned" });
  expect(await other.judge()).toBe(false);
});

test("31.7 a second time-lock within 30 days stops, the first and its prolongation do not", async () => {
  const it = await arrange();
  const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000);
  const lock = (hours: number) =>
    it.report({ state: "connected", cause: "timelocked", causeUntil: inHours(hours) });
  const age = (days: number) =>
    sql`update number_incident set at = at - ${days} * interval '1 day', until = until - ${days} * interval '1 day'
      where connection_id = ${it.connectionId}`.execute(db);
  await lock(1);
  await lock(2);
  expect(await it.judge()).toBe(false);
  await age(31);
  await lock(1);
  expect(await it.judge(), "31 days later").toBe(false);
  await age(29);
  await lock(1);
  expect(await it.judge()).toBe(true);
  expect(await it.campaign()).toMatchObject({ status: "paused", cause: "number_locked_again" });
});
