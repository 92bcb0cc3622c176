import { sql } from "kysely";
import { expect, test } from "vitest";
import { testDatabase } from "../../../../tests/support/database.ts";
import { makeAccount, makeCampaign, makeConnection } from "../../../../tests/support/sending.ts";
import type { Condition, SegmentRule } from "../../../contract/audiences.ts";
import { DELIVERY } from "../../../domain/delivery.ts";
import { ownerOf } from "../../db/owner.ts";
import { noteTalks } from "../ledger/known-conversations.ts";
import { audienceOf } from "../sending.ts";
import { meets } from "./segment-rule.ts";

const { db } = await testDatabase();

const accountId = await makeAccount(db);
const owner = ownerOf(db, accountId);
const connectionId = await makeConnection(db, accountId);
const campaignId = await makeCampaign(db, accountId, { people: 6, connectionId, status: "ended" });
const { rows: lists } = await sql<{
  id: number;
}>`select list_id as id from campaign where id = ${campaignId}`.execute(db);
const listId = lists[0]?.id ?? 0;

const FIELDS = [
  { plano: "Ouro", idade: 30, nascimento: "1990-05-01", socio: true },
  { plano: "prata", idade: 40.5, nascimento: "2001-01-31", socio: false },
  { plano: "Ouro velho", idade: -2 },
  { plano: "10" },
  {},
  {},
];
for (const [nth, fields] of FIELDS.entries())
  await sql`update person set fields = ${JSON.stringify(fields)}::jsonb, created_at = now() - make_interval(days => ${nth * 10})
    where account_id = ${accountId}::uuid and phone = ${5_511_900_000_000 + nth}`.execute(db);

async function who(...items: (Condition | SegmentRule)[]): Promise<number[]> {
  return whoOf({ match: "all", items } as SegmentRule);
}

async function whoOf(rule: SegmentRule): Promise<number[]> {
  const { rows } = await sql<{ nth: number }>`select (p.phone - 5511900000000)::int as nth from person p
    where p.account_id = ${accountId}::uuid and ${meets(accountId, rule)} order by p.phone`.execute(db);
  return rows.map(({ nth }) => nth);
}

const field = (
  key: string,
  test: Extract<Condition, { on: "field" }>["test"],
  value: string | number | boolean | null = null,
): Condition => ({ on: "field", key, test, value });

test("values are compared by their kind; is not and empty hold for people without a value", async () => {
  expect(await who(field("plano", "is", "OURO"))).toEqual([0]);
  expect(await who(field("plano", "is_not", "ouro"))).toEqual([1, 2, 3, 4, 5]);
  expect(await who(field("plano", "contains", "ouro"))).toEqual([0, 2]);
  expect(await who(field("plano", "contains", "%"))).toEqual([]);
  expect(await who(field("idade", "is", 40.5))).toEqual([1]);
  expect(await who(field("idade", "is_not", 30))).toEqual([1, 2, 3, 4, 5]);
  expect(await who(field("idade", "at_least", 30))).toEqual([0, 1]);
  expect(await who(field("idade", "at_most", 0))).toEqual([2]);
  // A text is no number.
  expect(await who(field("plano", "at_least", 1))).toEqual([]);
  expect(await who(field("nascimento", "at_most", "1999-12-31"))).toEqual([0]);
  expect(await who(field("nascimento", "at_least", "2001-01-31"))).toEqual([1]);
  expect(await who(field("socio", "is", true))).toEqual([0]);
  expect(await who(field("socio", "is_not", true))).toEqual([1, 2, 3, 4, 5]);
  expect(await who(field("idade", "filled"))).toEqual([0, 1, 2]);
  expect(await who(field("idade", "empty"))).toEqual([3, 4, 5]);
  expect(await who(field("nome", "contains", "soa 4"))).toEqual([4]);
  await sql`update person set name = '' where account_id = ${accountId}::uuid and phone = 5511900000005`.execute(
    db,
  );
  expect(await who(field("nome", "empty"))).toEqual([5]);
});

test("days are counted from today in the account's zone", async () => {
  const { rows } = await sql<{
    zone: string;
  }>`select zone from (values ('Pacific/Kiritimati'), ('Pacific/Pago_Pago')) z(zone)`.execute(db);
  for (const { zone } of rows) {
    await sql`update account set time_zone = ${zone} where id = ${accountId}::uuid`.execute(db);
    const inDays = (days: number) =>
      sql`to_char((now() at time zone ${zone})::date + ${days}::int, 'YYYY-MM-DD')`;
    for (const [nth, days] of [-8, -7, 0, 7, 8].entries())
      await sql`update person set fields = fields || jsonb_build_object('retorno', ${inDays(days)})
        where account_id = ${accountId}::uuid and phone = ${5_511_900_000_000 + nth}`.execute(db);
    expect(await who(field("retorno", "last_days", 7))).toEqual([1, 2]);
    expect(await who(field("retorno", "next_days", 7))).toEqual([2, 3]);
    expect(await who(field("retorno", "older_days", 7))).toEqual([0]);
  }
});

test("origin, list and the day since when they are known", async () => {
  expect(await who({ on: "created", test: "last_days", days: 15 })).toEqual([0, 1]);
  expect(await who({ on: "created", test: "older_days", days: 15 })).toEqual([2, 3, 4, 5]);
  await sql`update person set origin = 'migration' where account_id = ${accountId}::uuid and phone = 5511900000003`.execute(
    db,
  );
  expect(await who({ on: "origin", test: "is", origin: "before" })).toEqual([3]);
  expect(await who({ on: "origin", test: "is_not", origin: "hand" })).toEqual([3]);
  await sql`delete from membership m using person p where p.id = m.person_id and p.phone = 5511900000002`.execute(
    db,
  );
  expect(await who({ on: "list", test: "not_in", listId })).toEqual([2]);
  expect(await who({ on: "list", test: "in", listId })).toEqual([0, 1, 3, 4, 5]);
});

test("what people last wrote, on any connection of the account", async () => {
  const second = await makeConnection(db, accountId);
  const ago = (days: number) => new Date(Date.now() - days * 86_400_000);
  const wrote = (nth: number, days: number, answered = false) => ({
    names: [String(5_511_900_000_000 + nth)],
    at: ago(days),
    answered,
  });
  await noteTalks(db, connectionId, [wrote(0, 40), wrote(1, 40), wrote(2, 1, true)]);
  await noteTalks(db, second, [wrote(1, 2)]);
  expect(await who({ on: "reply", test: "ever", days: null })).toEqual([0, 1]);
  expect(await who({ on: "reply", test: "never", days: null })).toEqual([2, 3, 4, 5]);
  expect(await who({ on: "reply", test: "last_days", days: 30 })).toEqual([1]);
  expect(await who({ on: "reply", test: "older_days", days: 30 })).toEqual([0]);
});

test("what came of one campaign with its resends, or of the last one", async () => {
  const deliver = async (of: { resends?: number; days: number }, states: Record<number, number>) => {
    const { rows } = await sql<{
      id: number;
    }>`insert into campaign (account_id, name, zone, status, nonce, resends_id, started_at)
      values (${accountId}::uuid, 'C', 'UTC', 'sending', floor(random() * 4294967296)::bigint, ${of.resends ?? null}, now() - make_interval(days => ${of.days})) returning id`.execute(
      db,
    );
    const id = rows[0]?.id ?? 0;
    for (const [nth, status] of Object.entries(states))
      await sql`insert into delivery (campaign_id, seq, phone, name, status) values (${id}, ${nth}, ${5_511_900_000_000 + Number(nth)}, '', ${status})`.execute(
        db,
      );
    return id;
  };
  const id = await deliver(
    { days: 2 },
    { 0: DELIVERY.read, 1: DELIVERY.sent, 2: DELIVERY.error, 3: DELIVERY.error, 4: DELIVERY.pending },
  );
  await deliver({ resends: id, days: 1 }, { 2: DELIVERY.delivered });
  const tests = (campaign: number | null) => async (name: Extract<Condition, { on: "campaign" }>["test"]) =>
    who({ on: "campaign", test: name, campaignId: campaign });
  const one = tests(id);
  expect(await one("got")).toEqual([0, 1, 2]);
  expect(await one("delivered")).toEqual([0, 2]);
  expect(await one("read")).toEqual([0]);
  expect(await one("unread")).toEqual([1, 2]);
  expect(await one("failed")).toEqual([3]);
  expect(await one("not_got")).toEqual([3, 5]);
  await deliver({ days: 0 }, { 0: DELIVERY.error, 1: DELIVERY.read, 2: DELIVERY.skipped });
  const last = tests(null);
  expect(await last("failed")).toEqual([0, 3]);
  expect(await last("read")).toEqual([1]);
  expect(await last("got")).toEqual([1, 2]);
  expect(await last("not_got")).toEqual([0, 3, 5]);
});

test("conditions are joined by and, or, and groups of them", async () => {
  const gold = field("plano", "contains", "ouro");
  const old = field("idade", "at_least", 30);
  expect(await who(gold, old)).toEqual([0]);
  expect(await whoOf({ match: "any", items: [gold, old] })).toEqual([0, 1, 2]);
  expect(
    await who(gold, { match: "any", items: [field("idade", "at_most", 0), field("idade", "is", 30)] }),
  ).toEqual([0, 2]);
});

test("a name is taken once, whatever its capitals; a segment in use is not deleted, and another account's is not found", async () => {
  const rule: SegmentRule = { match: "all", items: [field("plano", "filled")] };
  const made = await audienceOf(owner).storeSegment({ id: null, name: "Ouro", rule });
  const id = made?.id ?? 0;
  expect(await audienceOf(owner).storeSegment({ id: null, name: "OURO", rule })).toBeNull();
  expect(await audienceOf(owner).storeSegment({ id, name: "OURO", rule })).toMatchObject({ name: "OURO" });
  expect(await audienceOf(owner).segmentWithField("plano")).toBe("OURO");
  const other = ownerOf(db, await makeAccount(db));
  await expect(audienceOf(other).storeSegment({ id, name: "x", rule })).rejects.toMatchObject({
    code: "not_found",
  });
  await expect(audienceOf(other).deleteSegment(id)).rejects.toMatchObject({ code: "not_found" });
  await sql`update campaign set status = 'scheduled', audience = ${JSON.stringify({ segmentIds: [id] })} where id = ${campaignId}`.execute(
    db,
  );
  await expect(audienceOf(owner).deleteSegment(id)).rejects.toMatchObject({
    code: "segment_in_use",
    details: { name: "Black Friday" },
  });
  await sql`update campaign set status = 'draft' where id = ${campaignId}`.execute(db);
  await audienceOf(owner).deleteSegment(id);
  expect(await audienceOf(owner).segments()).toEqual([]);
});
