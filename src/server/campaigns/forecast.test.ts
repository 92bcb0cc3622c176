import { sql } from "kysely";
import { beforeEach, expect, test } from "vitest";
import { testApi } from "../../../tests/support/api.ts";
import { accountRow, connectionRow, listRow } from "../../../tests/support/campaign-rows.ts";
import { testDatabase } from "../../../tests/support/database.ts";
import type { PlanForecast } from "../../contract/audiences.ts";
import { recommendedPlan } from "../../domain/number-plan.ts";
import { startNext } from "../sending/campaigns/audience.ts";
import { noteTalks } from "../sending/ledger/known-conversations.ts";
import { AudienceService } from "./audiences.ts";
import { mountAudiences } from "./routes.ts";

const { db, database } = await testDatabase();
/** A Friday, 9:00 in São Paulo. */
const now = new Date("2026-11-27T12:00:00Z");
const api = testApi(db, (app) =>
  mountAudiences(app, new AudienceService({ mark: () => undefined }, { now: () => now })),
);
const PLAN = { ...recommendedPlan("2026-01-01"), ramp: { from: 10, to: 10, days: 1 } };

let account = "";
let listId = 0;
let connectionId = 0;
let people: string[] = [];
beforeEach(async () => {
  account = await accountRow(db);
  listId = await listRow(db, account, 40);
  connectionId = await connectionRow(db, account);
  const { rows } = await sql<{
    phone: string;
  }>`select phone::text from membership m join person p on p.id = m.person_id
    where m.list_id = ${listId} order by m.seq`.execute(db);
  people = rows.map(({ phone }) => phone);
});
const plan = (value: object | null) =>
  value === null
    ? sql`delete from number_plan where connection_id = ${connectionId}`.execute(db)
    : sql`insert into number_plan (connection_id, plan) values (${connectionId}, ${JSON.stringify(value)}::jsonb)`.execute(
        db,
      );
const ask = async (given: object = {}) => {
  const question = {
    listId,
    audience: null,
    variables: [],
    connectionId,
    intervalS: 0,
    extraS: 0,
    startsAt: null,
  };
  const { body } = await api(account)<{ forecast: PlanForecast | null }>("POST", "/api/audience/forecast", {
    ...question,
    ...given,
  });
  return body.forecast;
};
const talked = (phones: readonly string[]) =>
  noteTalks(
    db,
    connectionId,
    phones.map((phone) => ({ names: [phone], at: new Date(), answered: false })),
  );

test("a number without a plan has no forecast", async () => {
  expect(await ask()).toBeNull();
});

test("who already talked and who is new are counted, and spread over days", async () => {
  await plan(PLAN);
  await talked(people.slice(0, 5));
  const asked = await ask();
  expect(asked?.people).toEqual({ warm: 5, cold: 35 });
  expect(asked?.days.map(({ day, cold }) => [day, cold])).toEqual([
    ["2026-11-27", 10],
    ["2026-11-28", 10],
    ["2026-11-29", 0],
    ["2026-11-30", 10],
    ["2026-12-01", 5],
  ]);
  expect(asked).toMatchObject({ sendingDays: 4, limitedBy: "budget", why: null });
  expect(asked?.endsAt?.slice(0, 10)).toBe("2026-12-01");
});

test("WhatsApp's own quota bounds the days of its cycle, without what began since it was read", async () => {
  await plan(PLAN);
  const until = "2026-11-30T03:00:00.000Z";
  const quota = { total: 50, used: 35, capped: false, until, readAt: "2026-11-20T11:00:00.000Z" };
  await sql`update connection set new_chats = ${JSON.stringify(quota)}::jsonb where id = ${connectionId}`.execute(
    db,
  );
  await sql`insert into cold_message (connection_id, at) values (${connectionId}, '2026-11-20T11:30:00Z')`.execute(
    db,
  );
  expect((await ask())?.days.map(({ day, cold }) => [day, cold])).toEqual([
    ["2026-11-27", 10],
    ["2026-11-28", 4],
    ["2026-11-29", 0],
    ["2026-11-30", 10],
    ["2026-12-01", 10],
    ["2026-12-02", 6],
  ]);
});

test("what other campaigns of the number still send, and what was used today, comes before", async () => {
  await plan(PLAN);
  await sql`insert into cold_message (connection_id) select ${connectionId} from generate_series(1, 8)`.execute(
    db,
  );
  expect((await ask())?.days[0]?.cold).toBe(2);
  expect((await ask({ startsAt: "2026-11-30T11:00:00.000Z" }))?.days[0]).toMatchObject({
    day: "2026-11-30",
    cold: 10,
  });
});

test("a start counts new conversations, only for a number with a plan", async () => {
  const start = async () => {
    const { rows } = await sql<{
      id: number;
    }>`insert into campaign (account_id, name, text, list_id, connection_id, zone, status, nonce)
      values (${account}::uuid, 'Retorno', 'Oi', ${listId}, ${connectionId}, 'America/Sao_Paulo', 'starting', floor(random() * 4e9)::bigint)
      returning id`.execute(db);
    await startNext(database);
    const found = await sql<{
      cold: number | null;
    }>`select cold_people as cold from campaign where id = ${rows[0]?.id}`.execute(db);
    return found.rows[0]?.cold;
  };
  await talked(people.slice(0, 3));
  expect(await start()).toBeNull();
  await plan(PLAN);
  expect(await start()).toBe(37);
});

test("another account's number has no forecast", async () => {
  await plan(PLAN);
  const other = await accountRow(db);
  const theirs = await listRow(db, other, 2);
  const { status } = await api(other)("POST", "/api/audience/forecast", {
    listId: theirs,
    audience: null,
    variables: [],
    connectionId,
    intervalS: 0,
    extraS: 0,
    startsAt: null,
  });
  expect(status).toBe(404);
});
