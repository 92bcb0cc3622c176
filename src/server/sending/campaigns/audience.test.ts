import { type KyselyPlugin, sql } from "kysely";
import { expect, test, vi } from "vitest";
import { tickCampaigns } from "../../../../tests/support/campaign-clock.ts";
import { imageRow } from "../../../../tests/support/campaign-rows.ts";
import { testDatabase, testLog } from "../../../../tests/support/database.ts";
import { makeAccount, makeCampaign, makeConnection, readLedger } from "../../../../tests/support/sending.ts";
import { unhurried } from "../../../../tests/support/waiting.ts";
import { type Db, openDatabase } from "../../db/client.ts";
import { isDatabaseDown } from "../../db/errors.ts";
import { ownerOf } from "../../db/owner.ts";
import { outboxAddress, prepareAddresses, rememberAddress, storeAddress } from "../addresses/addresses.ts";
import { startNext } from "./audience.ts";
import { startDue } from "./campaign-clock.ts";
import { cancelCampaign, createResend } from "./campaign-status.ts";
import { type Changed, sweepCancelled } from "./campaign-sweeps.ts";
import { optOut } from "./opt-out.ts";

const { db, database, url } = await testDatabase();

async function setting() {
  const accountId = await makeAccount(db);
  const connectionId = await makeConnection(db, accountId);
  return { accountId, connectionId, owner: ownerOf(db, accountId) };
}

test("a hundred thousand people are frozen within seconds, and a crash before the commit leaves the campaign to be started @decision 24", async () => {
  const { accountId, connectionId } = await setting();
  const made = performance.now();
  const campaignId = await makeCampaign(db, accountId, { people: 100_000, connectionId });
  const bare = performance.now() - made;
  await expect(
    database.session((session) =>
      session.db.transaction().execute(async (tx) => {
        await sql`insert into delivery (campaign_id, seq, phone, name) select ${campaignId}, 0, 5511900000000, ''`.execute(
          tx,
        );
        throw new Error("killed");
      }),
    ),
  ).rejects.toThrow("killed");
  const start = performance.now();
  expect(await startNext(database)).toMatchObject({ campaignId });
  expect(performance.now() - start).toBeLessThan(10_000 + 5 * bare);
  const ledger = await readLedger(db, campaignId);
  expect(ledger).toMatchObject({ status: "sending", total: 100_000 });
  expect(ledger.rows).toEqual(ledger.counters);
  const { rows } =
    await sql`select min(seq) as low, max(seq) as high from delivery where campaign_id = ${campaignId}`.execute(
      db,
    );
  expect(rows).toEqual([{ low: 0, high: 99_999 }]);
  expect(await startNext(database)).toBeNull();
});

test("a lock on the table of people, such as a long vacuum, does not stop campaigns from starting", async () => {
  const { accountId, connectionId } = await setting();
  const ids = [];
  for (let n = 0; n < 2; n++) ids.push(await makeCampaign(db, accountId, { people: 5_000, connectionId }));
  const started: Changed[] = [];
  await unhurried(db, async (vacuum) => {
    await sql`lock table delivery in share update exclusive mode`.execute(vacuum);
    await tickCampaigns(database, (one) => started.push(one), 20);
  });
  expect(started).toEqual(ids.map((campaignId) => ({ accountId, campaignId })));
});

test("F38 a process that is frozen while it starts a campaign does not keep the campaign from being started by another", async () => {
  const { accountId, connectionId } = await setting();
  const campaignId = await makeCampaign(db, accountId, { people: 3, connectionId });
  const [held, woken] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const freeze: KyselyPlugin = {
    transformQuery: ({ node }) => node,
    transformResult: async ({ result }) => {
      if (result.rows.length === 0) return result;
      held.resolve();
      await woken.promise;
      return result;
    },
  };
  const theirs = openDatabase(url, { log: testLog, statementTimeoutMs: 300 });
  const frozen = startNext({
    ...theirs,
    session: (work) => theirs.session((session) => work({ ...session, db: session.db.withPlugin(freeze) })),
  }).catch((error: unknown) => error);
  await held.promise;
  await vi.waitFor(async () => expect(await startNext(database)).toMatchObject({ campaignId }), {
    timeout: 60_000,
    interval: 50,
  });
  woken.resolve();
  expect(isDatabaseDown(await frozen)).toBe(true);
  expect(await readLedger(db, campaignId)).toMatchObject({ status: "sending", total: 3 });
  await theirs.close();
});

test("an opt-out while the audience is written does not wait and is left out, even at the end", async () => {
  const { accountId, connectionId, owner } = await setting();
  const campaignId = await makeCampaign(db, accountId, { people: 4, connectionId });
  const phones = ["5511900000001", "5511900000002"];
  const reply = { source: "reply" as const, connectionId: null, text: "SAIR" };
  const leave = (tx: Db, phone: string) =>
    sql`set local lock_timeout = '5s'`.execute(tx).then(() => optOut(owner.in(tx), { ...reply, phone }));
  const waitsFor = (type: string) =>
    expect
      .poll(async () => {
        const { rows } = await sql`select from pg_locks
          where not granted and locktype = ${type} and database = (select oid from pg_database where datname = current_database())`.execute(
          db,
        );
        return rows.length;
      })
      .toBe(1);
  const started = await unhurried(db, async (atEnd) => {
    const freezing = await unhurried(db, async (tx) => {
      await sql`lock table delivery in share mode`.execute(tx);
      const freeze = startNext(database);
      freeze.catch(() => undefined);
      await waitsFor("relation");
      await db.transaction().execute((another) => leave(another, phones[0] ?? ""));
      await leave(atEnd, phones[1] ?? "");
      return { freeze };
    });
    await waitsFor("advisory");
    return freezing;
  });
  await started.freeze;
  const { rows } = await sql`select phone::text as phone from delivery
    where campaign_id = ${campaignId} and status = 3 and error = 'opted_out' order by phone`.execute(db);
  expect(rows).toEqual(phones.map((phone) => ({ phone })));
  expect(await readLedger(db, campaignId)).toMatchObject({
    status: "sending",
    counters: [2, 0, 0, 2, 0, 0, 0, 0, 0, 0],
  });
});

test("a cancelled campaign of twenty thousand people is swept to the last one", async () => {
  const { accountId, connectionId, owner } = await setting();
  const campaignId = await makeCampaign(db, accountId, { people: 20_000, connectionId });
  const frozen = performance.now();
  await startNext(database);
  const usual = performance.now() - frozen;
  const tried = "2026-11-01 12:00:00+00";
  await sql`update delivery set status = 2, ambiguous = seq % 2 = 0, at = ${tried}::timestamptz
    where campaign_id = ${campaignId} and seq < 10`.execute(db);
  await sql`update campaign set cursor = 10, pending_count = pending_count - 10, waiting_count = 10 where id = ${campaignId}`.execute(
    db,
  );
  await cancelCampaign(owner, campaignId);
  const start = performance.now();
  while ((await sweepCancelled(db)).length > 0);
  expect(performance.now() - start).toBeLessThan(10_000 + 5 * usual);
  const ledger = await readLedger(db, campaignId);
  expect(ledger.rows).toEqual([0, 0, 0, 19_995, 5, 0, 0, 0, 0, 0]);
  expect(ledger.rows).toEqual(ledger.counters);
  // A doubt keeps the time of its attempt: its message may still be found by it.
  const { rows } = await sql`select distinct status, error, at = ${tried}::timestamptz as tried from delivery
    where campaign_id = ${campaignId} order by status`.execute(db);
  expect(rows).toEqual([
    { status: 3, error: "cancelled", tried: false },
    { status: 4, error: "interrupted", tried: true },
  ]);
});

test("F25 a campaign that is due starts exactly once, however many processes look", async () => {
  const { accountId, connectionId } = await setting();
  const ids = await Promise.all(
    Array.from({ length: 10 }, () =>
      makeCampaign(db, accountId, { people: 20, connectionId, status: "scheduled" }),
    ),
  );
  await sql`update campaign set scheduled_at = now() - interval '1 second' where id = any(${ids}::bigint[])`.execute(
    db,
  );
  const due = await Promise.all(Array.from({ length: 6 }, () => startDue(db)));
  expect(
    due
      .flat()
      .map((one) => one.campaignId)
      .sort((a, b) => a - b),
  ).toEqual(ids.toSorted((a, b) => a - b));
  const started: number[] = [];
  await Promise.all(
    Array.from({ length: 6 }, () =>
      tickCampaigns(database, (one) => {
        started.push(one.campaignId);
      }),
    ),
  );
  expect(started.sort((a, b) => a - b)).toEqual(ids.toSorted((a, b) => a - b));
  for (const id of ids)
    expect(await readLedger(db, id)).toMatchObject({ status: "sending", total: 20, sum: 20 });
});

test("a campaign whose connection is being removed does not start, and says why", async () => {
  const { accountId, connectionId } = await setting();
  const id = await makeCampaign(db, accountId, { people: 3, connectionId });
  await makeConnection(db, accountId);
  await sql`update connection set desired = 'removed' where id = ${connectionId}`.execute(db);
  await startNext(database);
  expect(await readLedger(db, id)).toMatchObject({ status: "paused", cause: "connection_removed", sum: 0 });
});

test("a campaign whose connection was deleted before its start does not go through another one", async () => {
  const { accountId, connectionId } = await setting();
  const id = await makeCampaign(db, accountId, { people: 3, connectionId });
  await sql`update campaign set connection_name = 'Matriz' where id = ${id}`.execute(db);
  await sql`delete from connection where id = ${connectionId}`.execute(db);
  const other = await makeConnection(db, accountId);
  await sql`update connection set is_default = true where id = ${other}`.execute(db);
  await startNext(database);
  expect(await readLedger(db, id)).toMatchObject({ status: "paused", cause: "connection_removed", sum: 0 });
});

test("a campaign that cannot be started keeps no other from starting", async () => {
  const { accountId, connectionId } = await setting();
  const bad = await makeCampaign(db, accountId, { people: 3, connectionId });
  const good = await makeCampaign(db, accountId, { people: 3, connectionId });
  await sql`insert into delivery (campaign_id, seq, phone, name) values (${bad}, 0, 5511900000000, '')`.execute(
    db,
  );
  for (let looks = 0; looks < 2; looks++) await tickCampaigns(database, () => {}).catch(() => undefined);
  expect((await readLedger(db, good)).status).toBe("sending");
  expect(await readLedger(db, bad)).toMatchObject({ status: "paused", cause: "start_failed" });
});

const address = (user: string, lid: string | null) => ({
  jid: `${user}@s.whatsapp.net`,
  lid: lid && `${lid}@lid`,
});
const people = (...seqs: number[]) =>
  seqs.map((seq) => ({ seq, phone: `55119${40_000_000 + seq}`, ambiguous: false }));

test("two phones of one address: one person is reached, in one batch, across batches, and when asked again @spec 5.4 @decision 7", async () => {
  const { accountId } = await setting();
  const campaignId = await makeCampaign(db, accountId, { people: 1, status: "draft" });
  for (const one of people(0, 1, 2, 3)) await storeAddress(database.prepared, -1, one, address("same", "77"));
  const kinds = async (...seqs: number[]) => {
    const known = await prepareAddresses(database.prepared, campaignId, people(...seqs));
    return seqs.map((seq) => known.get(seq)?.kind);
  };
  expect(await kinds(2, 1)).toEqual(["taken", "address"]);
  expect(await kinds(0, 3)).toEqual(["taken", "taken"]);
  expect(await kinds(1, 2)).toEqual(["address", "taken"]);
});

test("two phones with one address are one person although WhatsApp gave only one hidden address", async () => {
  const { accountId } = await setting();
  for (const first of [true, false]) {
    const campaignId = await makeCampaign(db, accountId, { people: 1, status: "draft" });
    const [a, b] = people(10, 11);
    if (!a || !b) throw new Error("two people");
    expect(
      await storeAddress(database.prepared, campaignId, a, address("one", first ? "88" : null)),
    ).toMatchObject({
      kind: "address",
    });
    expect(await storeAddress(database.prepared, campaignId, b, address("one", first ? null : "88"))).toEqual(
      {
        kind: "taken",
      },
    );
    const batch = await makeCampaign(db, accountId, { people: 1, status: "draft" });
    const known = await prepareAddresses(database.prepared, batch, [a, b]);
    expect([known.get(10)?.kind, known.get(11)?.kind]).toEqual(["address", "taken"]);
  }
});

test("an address is believed for a week, and for a message in doubt as long as it takes @decision 6", async () => {
  const { accountId } = await setting();
  const campaignId = await makeCampaign(db, accountId, { people: 1, status: "draft" });
  const [a] = people(20);
  if (!a) throw new Error("one person");
  await storeAddress(database.prepared, campaignId, a, address("old", null));
  await sql`update wa_address set checked_at = now() - interval '8 days' where phone = ${a.phone}::bigint`.execute(
    db,
  );
  const kind = async (ambiguous: boolean) =>
    (await prepareAddresses(database.prepared, campaignId, [{ ...a, ambiguous }])).get(20)?.kind;
  expect(await kind(false)).toBe("unknown");
  expect(await kind(true)).toBe("address");
  expect(await outboxAddress(db, { phone: a.phone, jid: null }, true)).toEqual({ kind: "unknown" });
  await rememberAddress(db, a.phone, { jid: "new@s.whatsapp.net", lid: null });
  expect(await outboxAddress(db, { phone: a.phone, jid: null }, true)).toMatchObject({
    address: { jid: "new@s.whatsapp.net" },
  });
});

test("F27 «Reenviar falhas» pressed twice is one campaign, and who got the message by a resend gets no other", async () => {
  const { accountId, connectionId, owner } = await setting();
  const campaignId = await makeCampaign(db, accountId, { people: 3, connectionId });
  await startNext(database);
  await sql`update delivery set status = 5, error = 'x' where campaign_id = ${campaignId}`.execute(db);
  await sql`update campaign set status = 'ended', cursor = 3, pending_count = 0, error_count = 3 where id = ${campaignId}`.execute(
    db,
  );
  const [first, again] = await Promise.all([
    createResend(owner, campaignId),
    createResend(owner, campaignId),
  ]);
  expect(again).toBe(first);
  await startNext(database);
  expect(await readLedger(db, first)).toMatchObject({ total: 3 });
  await sql`update delivery set status = case seq when 0 then 6 when 1 then 4 else 3 end where campaign_id = ${first}`.execute(
    db,
  );
  await sql`update campaign set status = 'cancelled', cursor = 3, pending_count = 0, sent_count = 1, uncertain_count = 1, skipped_count = 1
    where id = ${first}`.execute(db);
  const third = await createResend(owner, campaignId);
  expect(third).not.toBe(first);
  await startNext(database);
  const { rows } = await sql`select phone::text as phone from delivery where campaign_id = ${third}`.execute(
    db,
  );
  expect(rows).toEqual([{ phone: "5511900000002" }]);
  await sql`update delivery set status = 7 where campaign_id = ${third}`.execute(db);
  await sql`update campaign set status = 'ended', cursor = 1, pending_count = 0, sent_count = 1 where id = ${third}`.execute(
    db,
  );
  await expect(createResend(owner, campaignId)).rejects.toMatchObject({ code: "campaign_nothing_to_resend" });
});

test("a resend is named in its account's language, independent of the caller", async () => {
  const { accountId, connectionId, owner } = await setting();
  const nameOfResend = async (language: string) => {
    await sql`update account set language = ${language} where id = ${accountId}::uuid`.execute(db);
    const campaignId = await makeCampaign(db, accountId, { people: 1, connectionId });
    await startNext(database);
    await sql`update delivery set status = 5, error = 'x' where campaign_id = ${campaignId}`.execute(db);
    await sql`update campaign set name = 'Natal', status = 'ended', cursor = 1, pending_count = 0, error_count = 1
      where id = ${campaignId}`.execute(db);
    const id = await createResend(owner, campaignId);
    await startNext(database);
    const { rows } = await sql<{ name: string }>`select name from campaign where id = ${id}`.execute(db);
    return rows[0]?.name;
  };
  expect(await nameOfResend("en")).toBe("Natal (resend)");
  expect(await nameOfResend("pt-BR")).toBe("Natal (reenvio)");
});

test("F27 a campaign and its resend, resent at the same moment, do not both reach the same people", async () => {
  const people = 20_000;
  const { accountId, connectionId, owner } = await setting();
  const campaignId = await makeCampaign(db, accountId, { people, connectionId });
  const failForAll = async (id: number) => {
    await startNext(database);
    await sql`update delivery set status = 5, error = 'x' where campaign_id = ${id}`.execute(db);
    await sql`update campaign set status = 'ended', cursor = total, pending_count = 0, error_count = total where id = ${id}`.execute(
      db,
    );
  };
  await failForAll(campaignId);
  const resend = await createResend(owner, campaignId);
  await failForAll(resend);
  const both = [await createResend(owner, campaignId), await createResend(owner, resend)];
  await Promise.all([startNext(database), startNext(database)]);
  const { rows } = await sql<{
    n: number;
    phones: number;
  }>`select count(*)::int as n, count(distinct phone)::int as phones
    from delivery where campaign_id = any(${both}::bigint[])`.execute(db);
  expect(rows).toEqual([{ n: people, phones: people }]);
});

test("an account with campaigns and pictures can be deleted", async () => {
  const { accountId, connectionId } = await setting();
  const campaignId = await makeCampaign(db, accountId, { people: 3, connectionId });
  const file = await imageRow(db, accountId);
  await sql`update campaign set attachment_id = ${file} where id = ${campaignId}`.execute(db);
  await sql`insert into outbox (account_id, connection_id, phone, text, attachment_id, message_id, body_hash)
    select ${accountId}::uuid, ${connectionId}, 5511988887777, '', ${file}::bigint, '3EB0CC', ''`.execute(db);
  await startNext(database);
  await sql`delete from account where id = ${accountId}::uuid`.execute(db);
  const { rows } = await sql`select 1 from campaign where id = ${campaignId}`.execute(db);
  expect(rows).toEqual([]);
});
