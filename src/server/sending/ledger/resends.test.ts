import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import { expect, test } from "vitest";
import { tickCampaigns } from "../../../../tests/support/campaign-clock.ts";
import { testDatabase } from "../../../../tests/support/database.ts";
import { makeAccount, makeCampaign, makeConnection, readLedger } from "../../../../tests/support/sending.ts";
import { unhurried } from "../../../../tests/support/waiting.ts";
import { DELIVERY } from "../../../domain/delivery.ts";
import { ownerOf } from "../../db/owner.ts";
import { startNext } from "../campaigns/audience.ts";
import { createResend } from "../campaigns/campaign-status.ts";
import { holdOptOuts, optOut } from "../campaigns/opt-out.ts";
import { acquireConnection } from "../ownership/acquire.ts";
import { resendCounter } from "./resends.ts";
import { settle } from "./settle.ts";
import { takeTurn } from "./turn.ts";

const { db, database } = await testDatabase();

async function setting() {
  const accountId = await makeAccount(db);
  const connectionId = await makeConnection(db, accountId);
  return { accountId, connectionId, owner: ownerOf(db, accountId) };
}

test("F27 who is in doubt in a resend that was cancelled gets no other: their message may have left", async () => {
  const { accountId, connectionId, owner } = await setting();
  const campaignId = await makeCampaign(db, accountId, { people: 2, connectionId });
  await startNext(database);
  await sql`update delivery set status = 5, error = 'x' where campaign_id = ${campaignId}`.execute(db);
  await sql`update campaign set status = 'ended', cursor = 2, pending_count = 0, error_count = 2 where id = ${campaignId}`.execute(
    db,
  );
  const first = await createResend(owner, campaignId);
  await startNext(database);
  await sql`update delivery set status = 2, ambiguous = seq = 0, not_before = now() + interval '15 minutes'
    where campaign_id = ${first}`.execute(db);
  await sql`update campaign set status = 'cancelled', cursor = 2, pending_count = 0, waiting_count = 2 where id = ${first}`.execute(
    db,
  );
  const second = await createResend(owner, campaignId);
  await startNext(database);
  const { rows } = await sql`select phone::text as phone from delivery where campaign_id = ${second}`.execute(
    db,
  );
  expect(rows).toEqual([{ phone: "5511900000001" }]);
});

test("MS01 a resend says what the campaign said: its text keeps the places that it was started with", async () => {
  const { accountId, connectionId, owner } = await setting();
  const campaignId = await makeCampaign(db, accountId, { people: 1, connectionId });
  await startNext(database);
  await sql`update delivery set status = 5, error = 'x' where campaign_id = ${campaignId}`.execute(db);
  await sql`update campaign set status = 'ended', cursor = 1, pending_count = 0, error_count = 1, text_version = 1,
    text = 'Olá {primeiro_nome}' where id = ${campaignId}`.execute(db);
  const resend = await createResend(owner, campaignId);
  const { rows } = await sql`select text, text_version from campaign where id = ${resend}`.execute(db);
  expect(rows).toEqual([{ text: "Olá {primeiro_nome}", text_version: 1 }]);
  await startNext(database);
});

test("a failure that arrived after all, while its resend waits, is not written to a second time; the others are", async () => {
  const { accountId, connectionId, owner } = await setting();
  const campaignId = await makeCampaign(db, accountId, { people: 3, connectionId });
  await startNext(database);
  await sql`update delivery set status = 5, error = 'wa_refused', at = now() where campaign_id = ${campaignId}`.execute(
    db,
  );
  await sql`update campaign set status = 'ended', cursor = 3, pending_count = 0, error_count = 3 where id = ${campaignId}`.execute(
    db,
  );
  const resend = await createResend(owner, campaignId);
  await startNext(database);
  await sql`update delivery set status = 2 where campaign_id = ${resend} and seq = 1`.execute(db);
  await sql`update campaign set cursor = 2, pending_count = 2, waiting_count = 1 where id = ${resend}`.execute(
    db,
  );
  const moves = [0, 1].map((seq) => ({ seq, to: DELIVERY.delivered, at: new Date() }));
  expect(await db.transaction().execute((tx) => settle(tx, campaignId, moves))).toBe(2);
  const { rows } =
    await sql`select seq, status, error from delivery where campaign_id = ${resend} order by seq`.execute(db);
  expect(rows).toEqual([
    { seq: 0, status: DELIVERY.skipped, error: "arrived" },
    { seq: 1, status: DELIVERY.skipped, error: "arrived" },
    { seq: 2, status: DELIVERY.pending, error: null },
  ]);
  const ledger = await readLedger(db, resend);
  expect(ledger.counters).toEqual(ledger.rows);
  expect(await db.transaction().execute((tx) => settle(tx, campaignId, moves))).toBe(0);
  expect((await readLedger(db, resend)).rows).toEqual(ledger.rows);
});

test("a failure that arrives while its resend is being given its people is not written to a second time", async () => {
  const { accountId, connectionId, owner } = await setting();
  const campaignId = await makeCampaign(db, accountId, { people: 2, connectionId });
  await startNext(database);
  await sql`update delivery set status = 5, error = 'wa_refused' where campaign_id = ${campaignId}`.execute(
    db,
  );
  await sql`update campaign set status = 'ended', cursor = 2, pending_count = 0, error_count = 2 where id = ${campaignId}`.execute(
    db,
  );
  const resend = await createResend(owner, campaignId);
  const waiting = async () => {
    const { rows } = await sql`select from pg_locks where not granted and locktype = 'advisory'
      and database = (select oid from pg_database where datname = current_database())`.execute(db);
    return rows.length;
  };
  const both = await unhurried(db, async (leaving) => {
    await holdOptOuts(leaving, accountId, "leave");
    const starting = startNext(database);
    await expect.poll(waiting).toBe(1);
    let settled = false;
    const arriving = db
      .transaction()
      .execute((tx) => settle(tx, campaignId, [{ seq: 0, to: DELIVERY.delivered, at: new Date() }]))
      .finally(() => {
        settled = true;
      });
    await expect.poll(async () => settled || (await waiting()) === 2).toBe(true);
    return [starting, arriving];
  });
  await Promise.all(both);
  const { rows } =
    await sql`select seq, status, error from delivery where campaign_id = ${resend} order by seq`.execute(db);
  expect(rows).toEqual([
    { seq: 0, status: DELIVERY.skipped, error: "arrived" },
    { seq: 1, status: DELIVERY.pending, error: null },
  ]);
});

test("a failure that arrived while its resend had the person in hand is not written to once they were given back unsent", async () => {
  const { accountId, connectionId, owner } = await setting();
  const campaignId = await makeCampaign(db, accountId, { people: 2, connectionId });
  await startNext(database);
  await sql`update delivery set status = 5, error = 'wa_refused', at = now() where campaign_id = ${campaignId}`.execute(
    db,
  );
  await sql`update campaign set status = 'ended', cursor = 2, pending_count = 0, error_count = 2 where id = ${campaignId}`.execute(
    db,
  );
  const resend = await createResend(owner, campaignId);
  await startNext(database);
  const fence = (await acquireConnection(db, connectionId, randomUUID(), "resend"))?.fence ?? 0;
  const request = { connectionId, fence, campaignId: resend, lowestInFlightSeq: 0, from: "cursor" } as const;
  await takeTurn(database.prepared, { ...request, finished: [], want: 2 });
  const arrives = [{ seq: 0, to: DELIVERY.delivered, at: new Date() }];
  await db.transaction().execute((tx) => settle(tx, campaignId, arrives));
  const unsent = {
    to: "waiting",
    at: Date.now(),
    error: null,
    attempts: 0,
    ambiguous: false,
    delayMs: 0,
  } as const;
  const finished = [0, 1].map((seq) => ({ ...unsent, seq }));
  await takeTurn(database.prepared, { ...request, finished, want: 0 });
  for (const from of ["retry", "returned"] as const) {
    const again = await takeTurn(database.prepared, { ...request, finished: [], want: 2, from });
    expect(again?.claimed.map(({ seq }) => seq)).toEqual(from === "retry" ? [] : [1]);
  }
  await takeTurn(database.prepared, { ...request, finished: finished.slice(1), want: 0 });
  const notified: number[] = [];
  await tickCampaigns(database, (one) => notified.push(one.campaignId));
  const { rows } =
    await sql`select seq, status, error from delivery where campaign_id = ${resend} order by seq`.execute(db);
  expect(rows).toEqual([
    { seq: 0, status: DELIVERY.skipped, error: "arrived" },
    { seq: 1, status: DELIVERY.waiting, error: null },
  ]);
  expect(notified).toContain(resend);
  const ledger = await readLedger(db, resend);
  expect(ledger.counters).toEqual(ledger.rows);
});

test("a resend whose people have all got the message before it begins is over, and does not ask for another list", async () => {
  const { accountId, connectionId, owner } = await setting();
  const campaignId = await makeCampaign(db, accountId, { people: 1, connectionId });
  await startNext(database);
  await sql`update delivery set status = 5, error = 'wa_refused' where campaign_id = ${campaignId}`.execute(
    db,
  );
  await sql`update campaign set status = 'ended', cursor = 1, pending_count = 0, error_count = 1 where id = ${campaignId}`.execute(
    db,
  );
  const resend = await createResend(owner, campaignId);
  await db
    .transaction()
    .execute((tx) => settle(tx, campaignId, [{ seq: 0, to: DELIVERY.delivered, at: new Date() }]));
  expect(await startNext(database)).toMatchObject({ campaignId: resend });
  const { rows } =
    await sql`select status, pause_reason as cause, total, started_at is not null and ended_at is not null as over
    from campaign where id = ${resend}`.execute(db);
  expect(rows).toEqual([{ status: "ended", cause: null, total: 0, over: true }]);
  await expect(createResend(owner, campaignId)).rejects.toMatchObject({ code: "campaign_nothing_to_resend" });
});

test("a resend that no connection is there for is refused in words, instead of being made and stopping at once", async () => {
  const { accountId, connectionId, owner } = await setting();
  const campaignId = await makeCampaign(db, accountId, { people: 1, connectionId });
  await startNext(database);
  await sql`update delivery set status = 5, error = 'x' where campaign_id = ${campaignId}`.execute(db);
  await sql`update campaign set status = 'ended', cursor = 1, pending_count = 0, error_count = 1, connection_id = null
    where id = ${campaignId}`.execute(db);
  await sql`update connection set state = 'disconnected', desired = 'disconnected' where id = ${connectionId}`.execute(
    db,
  );
  await expect(createResend(owner, campaignId)).rejects.toMatchObject({
    code: "campaign_no_default_connection",
  });
  const { rows } = await sql`select from campaign where resends_id = ${campaignId}`.execute(db);
  expect(rows).toHaveLength(0);
  await sql`update connection set is_default = true where id = ${connectionId}`.execute(db);
  const resend = await createResend(owner, campaignId);
  await startNext(database);
  expect(await readLedger(db, resend)).toMatchObject({ status: "sending", total: 1 });
});

test("a resend reaches as many people as its question says, without those who opted out since", async () => {
  const { accountId, connectionId, owner } = await setting();
  const campaignId = await makeCampaign(db, accountId, { people: 3, connectionId });
  await startNext(database);
  await sql`update delivery set status = 5, error = 'x' where campaign_id = ${campaignId}`.execute(db);
  await sql`update campaign set status = 'ended', cursor = 3, pending_count = 0, error_count = 3 where id = ${campaignId}`.execute(
    db,
  );
  await optOut(owner, { phone: "5511900000001", source: "reply", connectionId: null, text: "SAIR" });
  const asked = await resendCounter()(owner, [{ id: campaignId, error: 3 }]);
  expect(asked.get(campaignId)).toBe(2);
  const resend = await createResend(owner, campaignId);
  await startNext(database);
  expect(await readLedger(db, resend)).toMatchObject({
    status: "sending",
    total: 2,
    rows: [2, 0, 0, 0, 0, 0, 0, 0, 0, 0],
    counters: [2, 0, 0, 0, 0, 0, 0, 0, 0, 0],
  });
});

test("people are sent to in the order of their list, and so is a resend", async () => {
  const { accountId, connectionId, owner } = await setting();
  const campaignId = await makeCampaign(db, accountId, { people: 3, connectionId });
  await sql`update membership set seq = 9 - seq where list_id = (select list_id from campaign where id = ${campaignId})`.execute(
    db,
  );
  const phones = async (id: number) => {
    await startNext(database);
    const { rows } = await sql<{ phone: string }>`select phone::text as phone from delivery
      where campaign_id = ${id} order by seq`.execute(db);
    return rows.map(({ phone }) => phone);
  };
  const inOrder = ["5511900000002", "5511900000001", "5511900000000"];
  expect(await phones(campaignId)).toEqual(inOrder);
  await sql`update delivery set status = 5, error = 'x' where campaign_id = ${campaignId}`.execute(db);
  await sql`update campaign set status = 'ended', cursor = 3, pending_count = 0, error_count = 3 where id = ${campaignId}`.execute(
    db,
  );
  expect(await phones(await createResend(owner, campaignId))).toEqual(inOrder);
});

test("a resend of a resend is numbered, under the name of the campaign whose failures it sends again", async () => {
  const { accountId, connectionId, owner } = await setting();
  let campaignId = await makeCampaign(db, accountId, { people: 2, connectionId });
  await sql`update campaign set name = 'Natal (reenvio)' where id = ${campaignId}`.execute(db);
  await startNext(database);
  const names: (string | undefined)[] = [];
  for (let nth = 1; nth <= 3; nth++) {
    await sql`update delivery set status = 5, error = 'x' where campaign_id = ${campaignId}`.execute(db);
    await sql`update campaign set status = 'ended', cursor = 2, pending_count = 0, error_count = 2
      where id = ${campaignId}`.execute(db);
    campaignId = await createResend(owner, campaignId);
    await startNext(database);
    const { rows } = await sql<{ name: string }>`select name from campaign where id = ${campaignId}`.execute(
      db,
    );
    names.push(rows[0]?.name);
  }
  expect(names).toEqual([
    "Natal (reenvio) (reenvio)",
    "Natal (reenvio) (reenvio 2)",
    "Natal (reenvio) (reenvio 3)",
  ]);
});

test("a resend says the values of the failed message, although the person's changed since", async () => {
  const { accountId, connectionId, owner } = await setting();
  const campaignId = await makeCampaign(db, accountId, { people: 1, connectionId });
  const variables = [{ key: "pet", fallback: null }];
  await sql`update campaign set variables = ${JSON.stringify(variables)}::jsonb where id = ${campaignId}`.execute(
    db,
  );
  await sql`insert into contact_field (account_id, key, label, kind, seq) values (${accountId}::uuid, 'pet', 'Pet', 'text', 0)`.execute(
    db,
  );
  await sql`update person set fields = '{"pet": "Rex"}' where account_id = ${accountId}::uuid`.execute(db);
  await startNext(database);
  await sql`update delivery set status = 5, error = 'x' where campaign_id = ${campaignId}`.execute(db);
  await sql`update campaign set status = 'ended', cursor = 1, pending_count = 0, error_count = 1 where id = ${campaignId}`.execute(
    db,
  );
  await sql`update person set fields = '{"pet": "Bob"}' where account_id = ${accountId}::uuid`.execute(db);
  const resend = await createResend(owner, campaignId);
  await startNext(database);
  const { rows } =
    await sql`select c.variables, d.vars, d.status from campaign c join delivery d on d.campaign_id = c.id
    where c.id = ${resend}`.execute(db);
  expect(rows).toEqual([{ variables, vars: { pet: "Rex" }, status: DELIVERY.pending }]);
});
