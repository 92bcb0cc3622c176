import { sql } from "kysely";
import { expect, test } from "vitest";
import { testDatabase } from "../../../../tests/support/database.ts";
import { placePeople } from "../../../../tests/support/people-rows.ts";
import { makeAccount, makeCampaign, makeConnection } from "../../../../tests/support/sending.ts";
import type { SegmentRule } from "../../../contract/audiences.ts";
import { type Audience, EVERYONE, storedAudience } from "../../../domain/audience.ts";
import { DELIVERY } from "../../../domain/delivery.ts";
import { ownerOf } from "../../db/owner.ts";
import { noteTalks } from "../ledger/known-conversations.ts";
import { audienceOf } from "../sending.ts";
import { startNext } from "./audience.ts";
import { audiencePeople, findMissing, readAudience } from "./audience-people.ts";

const { db, database } = await testDatabase();

const phone = (nth: number) => String(5_511_900_000_000 + nth);

/** Ten people 0 to 9 in the list of a campaign; a second list of 8 to 12. */
async function arrange() {
  const accountId = await makeAccount(db);
  const connectionId = await makeConnection(db, accountId);
  const owner = ownerOf(db, accountId);
  const campaignId = await makeCampaign(db, accountId, { people: 10, connectionId, status: "draft" });
  const { rows } = await sql<{
    id: number;
  }>`select list_id as id from campaign where id = ${campaignId}`.execute(db);
  const listId = rows[0]?.id ?? 0;
  const listOf = async (...people: number[]) => {
    const made = await sql<{ id: number }>`insert into contact_list (account_id, name, contacts)
      values (${accountId}::uuid, 'Outra', ${people.length}) returning id`.execute(db);
    const id = made.rows[0]?.id ?? 0;
    await placePeople(
      db,
      id,
      sql`select nth - 1 as seq, 5511900000000 + i as phone, 'Pessoa ' || i as name
        from unnest(${people}::int[]) with ordinality p(i, nth)`,
    );
    return id;
  };
  const segmentOf = async (rule: SegmentRule) =>
    (await audienceOf(owner).storeSegment({ id: null, name: "S", rule }))?.id ?? 0;
  /** Starts the campaign and answers who gets it, and why others do not. */
  const start = async (audience: Audience | null, id = campaignId) => {
    await sql`update campaign set audience = ${audience === null ? null : JSON.stringify(audience)}, status = 'starting'
      where id = ${id}`.execute(db);
    await startNext(database, { accountId, size: audience === null ? "small" : "large" });
    return frozen(id);
  };
  const count = (audience: Audience | null) =>
    audienceOf(owner).count({ listId, audience, variables: [], connectionId: null });
  return { accountId, connectionId, owner, campaignId, listId, listOf, segmentOf, start, count };
}

async function frozen(campaignId: number) {
  const { rows } = await sql<{ nth: number; error: string | null; status: number }>`
    select (phone - 5511900000000)::float8 as nth, error, status from delivery where campaign_id = ${campaignId} order by seq`.execute(
    db,
  );
  const left: Record<string, number[]> = {};
  for (const { nth, error } of rows) if (error !== null) left[error] = [...(left[error] ?? []), nth];
  return { gets: rows.flatMap(({ nth, status }) => (status === DELIVERY.pending ? nth : [])), left };
}

const without = (parts: Partial<Audience["without"]>): Audience => ({
  ...EVERYONE,
  without: { ...EVERYONE.without, ...parts },
});

/** A campaign of these people that has ended in this state. */
async function ended(
  it: Awaited<ReturnType<typeof arrange>>,
  people: number[],
  status: number,
  resendsId: number | null = null,
) {
  const { rows } = await sql<{
    id: number;
  }>`insert into campaign (account_id, name, list_id, zone, status, nonce, resends_id, started_at, last_sent_at)
    values (${it.accountId}::uuid, 'Antes', ${it.listId}, 'UTC', 'ended', floor(random() * 4294967296)::bigint, ${resendsId}, now(), now()) returning id`.execute(
    db,
  );
  const id = rows[0]?.id ?? 0;
  await sql`insert into delivery (campaign_id, seq, phone, name, status, at)
    select ${id}, nth - 1, 5511900000000 + i, '', ${status}, now() from unnest(${people}::int[]) with ordinality p(i, nth)`.execute(
    db,
  );
  return id;
}

const line = (count: Awaited<ReturnType<ReturnType<typeof audienceOf>["count"]>>, key: string) =>
  count.without.find((each) => each.key === key)?.people;

test("people of several lists and segments get a campaign once, in the order of lists, then segments", async () => {
  const it = await arrange();
  const second = await it.listOf(12, 8, 9, 10);
  await sql`update person set fields = '{"plano":"Ouro"}' where account_id = ${it.accountId}::uuid and phone in (${phone(2)}, ${phone(10)})`.execute(
    db,
  );
  const third = await it.listOf(30);
  await sql`delete from membership where list_id = ${third}`.execute(db);
  await sql`update person set fields = '{"plano":"ouro"}' where account_id = ${it.accountId}::uuid and phone = ${phone(30)}`.execute(
    db,
  );
  const segment = await it.segmentOf({
    match: "all",
    items: [{ on: "field", key: "plano", test: "is", value: "OURO" }],
  });
  const audience = { ...EVERYONE, listIds: [second], segmentIds: [segment] };
  const counted = await it.count(audience);
  expect(counted.sources.map(({ people }) => people)).toEqual([10, 4, 3]);
  expect([counted.twice, counted.gets]).toEqual([4, 13]);
  expect(counted.items.map(({ phone: each }) => each).slice(-4)).toEqual([
    phone(9),
    phone(12),
    phone(10),
    phone(30),
  ]);
  expect((await it.start(audience)).gets).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 10, 30]);
});

test("who is left out is stored with the first reason that applies, and the count said so before", async () => {
  const it = await arrange();
  const excluded = await it.listOf(0, 1);
  const got = await ended(it, [1, 2], DELIVERY.read);
  const failed = await ended(it, [3], DELIVERY.error);
  await ended(it, [3], DELIVERY.sent, failed);
  await ended(it, [4], DELIVERY.skipped, failed);
  await sql`insert into opt_out (account_id, phone, source) values (${it.accountId}::uuid, ${phone(0)}, 'manual'), (${it.accountId}::uuid, ${phone(5)}, 'reply')`.execute(
    db,
  );
  const audience = without({ listIds: [excluded], campaignIds: [got, failed] });
  const counted = await it.count(audience);
  expect(counted.without).toMatchObject([
    { key: `without-list:${excluded}`, name: "Outra", people: 2 },
    { key: `without-campaign:${got}`, name: "Antes", people: 1 },
    { key: `without-campaign:${failed}`, people: 1 },
    { key: "opted_out", people: 1 },
  ]);
  expect(counted.gets).toBe(5);
  const { items, people } = await audienceOf(it.owner).names(
    { listId: it.listId, audience, variables: [], connectionId: null },
    `without-campaign:${failed}`,
  );
  expect([people, items]).toEqual([1, [{ name: "Pessoa 3", phone: phone(3) }]]);
  expect(await it.start(audience)).toEqual({
    gets: [4, 6, 7, 8, 9],
    left: { excluded_list: [0, 1], got_campaign: [2, 3], opted_out: [5] },
  });
});

test("people who wrote, or were answered by a human on the phone or here, in the last hours are left out", async () => {
  const it = await arrange();
  const ago = (hours: number) => new Date(Date.now() - hours * 3_600_000);
  await sql`insert into wa_address (phone, jid, lid) values (${phone(2)}, 'x', '44@lid')`.execute(db);
  await noteTalks(db, it.connectionId, [
    { names: [phone(0)], at: ago(3), answered: false },
    { names: [phone(1)], at: ago(5), answered: false },
    { names: ["44@lid"], at: ago(1), answered: true },
  ]);
  const outgoing = (nth: number, origin: string) =>
    sql`insert into outbox
      (account_id, connection_id, phone, text, message_id, body_hash, status, origin, at)
    values (${it.accountId}::uuid, ${it.connectionId}, ${phone(nth)}, 'oi', ${`id${nth}${it.campaignId}`}, '', ${DELIVERY.sent}, ${origin}, now())`.execute(
      db,
    );
  await outgoing(3, "chat");
  await outgoing(4, "agent");
  const audience = without({ talkedHours: 4 });
  expect(line(await it.count(audience), "talked")).toBe(3);
  expect(await it.start(audience)).toEqual({
    gets: [1, 4, 5, 6, 7, 8, 9],
    left: { in_conversation: [0, 2, 3] },
  });
});

test("people who got so many campaigns since they last wrote are left out", async () => {
  const it = await arrange();
  await ended(it, [0, 1, 2, 3], DELIVERY.sent);
  await ended(it, [0, 1, 2], DELIVERY.delivered);
  await ended(it, [3], DELIVERY.error);
  await noteTalks(db, it.connectionId, [{ names: [phone(1)], at: new Date(), answered: false }]);
  await sql`update delivery set at = now() - interval '1 hour' where phone = ${phone(1)}`.execute(db);
  await noteTalks(db, it.connectionId, [
    { names: [phone(2)], at: new Date(Date.now() - 86_400_000), answered: false },
  ]);
  expect(await it.start(without({ unanswered: 2 }))).toEqual({
    gets: [1, 3, 4, 5, 6, 7, 8, 9],
    left: { never_answers: [0, 2] },
  });
});

test("with a limit a week people who got, or wait for, that many campaigns are left out, in a plain list too", async () => {
  const it = await arrange();
  await ended(it, [0, 1], DELIVERY.sent);
  const old = await ended(it, [2], DELIVERY.sent);
  await sql`update delivery set at = now() - interval '8 days' where campaign_id = ${old}`.execute(db);
  const waiting = await ended(it, [3], DELIVERY.pending);
  await sql`update campaign set status = 'sending' where id = ${waiting}`.execute(db);
  await sql`update delivery set at = null where campaign_id = ${waiting}`.execute(db);
  expect((await it.count(null)).gets).toBe(10);
  await sql`update account set campaigns_per_week = 1 where id = ${it.accountId}::uuid`.execute(db);
  expect(line(await it.count(null), "weekly")).toBe(3);
  expect(await it.start(null)).toEqual({ gets: [2, 4, 5, 6, 7, 8, 9], left: { weekly_limit: [0, 1, 3] } });
});

test("a campaign whose excluded list was deleted stops at its start instead of writing to its people", async () => {
  const it = await arrange();
  const excluded = await it.listOf(0, 1);
  await sql`delete from contact_list where id = ${excluded}`.execute(db);
  const audience = without({ listIds: [excluded] });
  expect(
    await findMissing(it.owner, { listId: it.listId, audience, variables: [], connectionId: null }),
  ).toBe("audience.without.listIds");
  expect((await it.start(audience)).gets).toEqual([]);
  const { rows } = await sql`select status, pause_reason from campaign where id = ${it.campaignId}`.execute(
    db,
  );
  expect(rows).toEqual([{ status: "paused", pause_reason: "audience_gone" }]);
});

test("a campaign of several lists whose first was deleted stops as well, though its column is empty", async () => {
  const it = await arrange();
  const second = await it.listOf(11, 12);
  const audience = storedAudience({ ...EVERYONE, listIds: [second] }, it.listId);
  await sql`delete from contact_list where id = ${it.listId}`.execute(db);
  expect((await it.start(audience)).gets).toEqual([]);
  const { rows } = await sql`select list_id, pause_reason from campaign where id = ${it.campaignId}`.execute(
    db,
  );
  expect(rows).toEqual([{ list_id: null, pause_reason: "audience_gone" }]);
});

test("lists, segments and campaigns of other accounts are gone for an audience, and their people never counted", async () => {
  const [it, other] = [await arrange(), await arrange()];
  const segment = await other.segmentOf({
    match: "all",
    items: [{ on: "created", test: "last_days", days: 3 }],
  });
  for (const audience of [
    { ...EVERYONE, listIds: [other.listId] },
    { ...EVERYONE, segmentIds: [segment] },
    without({ campaignIds: [other.campaignId] }),
  ])
    await expect(it.count(audience)).rejects.toMatchObject({ code: "not_found" });
  const rule: SegmentRule = {
    match: "any",
    items: [
      { on: "list", test: "not_in", listId: it.listId },
      { on: "campaign", test: "not_got", campaignId: null },
    ],
  };
  expect(await audienceOf(it.owner).countMeeting(rule)).toBe(10);
});

test("missing values count by key among those not left out, and without a fallback leave people out", async () => {
  const it = await arrange();
  await sql`update person set fields = '{"pet":"Rex"}' where account_id = ${it.accountId}::uuid and phone in (${phone(0)}, ${phone(1)})`.execute(
    db,
  );
  const excluded = await it.listOf(1, 2);
  const asked = (fallback: string | null) =>
    audienceOf(it.owner).count({
      connectionId: null,
      listId: it.listId,
      audience: without({ listIds: [excluded] }),
      variables: [{ key: "pet", fallback, kind: "text" }],
    });
  const strict = await asked(null);
  expect([strict.gets, strict.missing, line(strict, "missing")]).toEqual([1, { pet: 7 }, 7]);
  const lax = await asked("bichinho");
  expect([lax.gets, lax.missing, line(lax, "missing")]).toEqual([8, { pet: 7 }, undefined]);
  expect(lax.items.slice(0, 2).map(({ texts }) => texts)).toEqual([{ pet: "Rex" }, {}]);
});

const look = (people: number[], jid: string | null, days = 0) =>
  sql`
  insert into wa_address (phone, jid, checked_at)
  select 5511900000000 + i, ${jid}::text, now() - ${days} * interval '1 day' from unnest(${people}::int[]) i
  on conflict (phone) do update set jid = excluded.jid, checked_at = excluded.checked_at`.execute(db);

test("who was not on WhatsApp by a fresh look-up of the number's kind is counted and left out, as a start does", async () => {
  const it = await arrange();
  await look([1, 4], null);
  await look([2], "5511900000002@s.whatsapp.net");
  await look([3], null, 8);
  const counted = await it.count(null);
  expect([line(counted, "absent"), counted.gets]).toEqual([2, 8]);
  const question = { listId: it.listId, audience: null, variables: [], connectionId: it.connectionId };
  expect((await audienceOf(it.owner).names(question, "absent")).items.map((each) => each.phone)).toEqual([
    phone(1),
    phone(4),
  ]);
  expect(await it.start(null)).toEqual({
    gets: [0, 2, 3, 5, 6, 7, 8, 9],
    left: { known_absent: [1, 4] },
  });
  await sql`update connection set kind = 'instance' where id = ${it.connectionId}`.execute(db);
  expect(line(await it.count(null), "absent"), "devices' look-ups are no gateway's").toBeUndefined();
  await sql`insert into gateway_address (account_id, phone) values (${it.accountId}::uuid, ${phone(5)}::bigint)`.execute(
    db,
  );
  expect(line(await it.count(null), "absent")).toBe(1);
  const other = await arrange();
  await sql`update connection set kind = 'instance' where id = ${other.connectionId}`.execute(db);
  expect(line(await other.count(null), "absent"), "another account's gateway may lie").toBeUndefined();
  await sql`delete from wa_address`.execute(db);
});

test("land lines are counted among those who get it, and left out when asked", async () => {
  const it = await arrange();
  const numbers = ["551133334444", "552155556666", "5511333344445", "351133334444", "551163334444"];
  for (const [nth, number] of numbers.entries())
    await sql`update person set phone = ${number}::bigint
      where account_id = ${it.accountId}::uuid and phone = ${phone(nth)}::bigint`.execute(db);
  expect(await it.count(null)).toMatchObject({ gets: 10, landLines: 2 });
  const counted = await it.count(without({ landLines: true }));
  expect([line(counted, "land_lines"), counted.gets, counted.landLines]).toEqual([2, 8, 0]);
  const { left, gets } = await it.start(without({ landLines: true }));
  expect([left.land_line?.length, gets.length]).toEqual([2, 8]);
});

test("of an account newer than the planner's statistics each person is found by key, not among all its people", async () => {
  const [known, later] = [await makeAccount(db), await makeAccount(db)];
  await makeCampaign(db, known, { people: 20_000, status: "draft" });
  await sql`alter table person set (autovacuum_enabled = false)`.execute(db);
  await sql`alter table membership set (autovacuum_enabled = false)`.execute(db);
  await sql`analyze person, membership`.execute(db);
  const campaignId = await makeCampaign(db, later, { people: 50, status: "draft" });
  const { rows } = await sql<{
    listId: number;
  }>`select list_id as "listId" from campaign where id = ${campaignId}`.execute(db);
  const asked = { listId: rows[0]?.listId ?? 0, audience: null, variables: [], connectionId: null };
  const audience = await readAudience(ownerOf(db, later), asked);
  if ("gone" in audience) throw new Error(audience.gone);
  const plan = await sql<{
    "QUERY PLAN": string;
  }>`explain (analyze, costs off, timing off, summary off, buffers off)
    ${audiencePeople(audience)}`.execute(db);
  const lines = plan.rows.map((row) => row["QUERY PLAN"]);
  expect(lines.filter((line) => line.includes("Rows Removed"))).toEqual([]);
});
