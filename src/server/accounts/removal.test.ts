import { sql } from "kysely";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import {
  accountDeps,
  cookieOf,
  PASSWORD,
  signUpForm,
  visitor,
  withCookie,
} from "../../../tests/support/accounts.ts";
import { accountRow, listRow } from "../../../tests/support/campaign-rows.ts";
import { testDatabase, testLog } from "../../../tests/support/database.ts";
import { allTables, fillAccount, UNOWNED_TABLES } from "../../../tests/support/full-account.ts";
import { manualClock } from "../../../tests/support/manual-clock.ts";
import { removeAccounts } from "../../../tests/support/no-accounts.ts";
import { unhurried } from "../../../tests/support/waiting.ts";
import { ConnectionService } from "../connections/service.ts";
import { pruneImports } from "../contacts/forget.ts";
import { ownerOf } from "../db/owner.ts";
import { openJobs } from "../jobs/boss.ts";
import { LANE_CHANNEL } from "../sending/ledger/signals.ts";
import { claimOutbox } from "../sending/outbox/outbox.ts";
import { createApiKey } from "./administration.ts";
import { takeFirstAccount } from "./invitations-repo.ts";
import { AccountRemoval } from "./removal.ts";
import { AccountService } from "./service.ts";

const { db, database } = await testDatabase();
const deps = accountDeps(database);
const accounts = new AccountService(deps);
const clock = manualClock(new Date());
const asked: number[] = [];
const files: string[] = [];
const unused = async () => {
  throw new Error("not used here");
};
const connections = new ConnectionService({
  changes: { mark: () => undefined },
  files: { upload: unused, fetchImage: unused, get: unused } as never,
  outbox: { wait: unused, close: unused } as never,
  answerMs: 0,
  ownerMs: 0,
});
const removal = new AccountRemoval({
  db,
  clock,
  log: testLog,
  hasher: deps.hasher,
  guard: deps.guard,
  connections,
  pruneImports: (owner) => pruneImports(owner, { remove: (id) => void files.push(id) }),
  ask: async (delayMs, tx) => void (tx ?? asked.push(delayMs)),
});

beforeEach(async () => {
  await removeAccounts(db);
  for (const table of [
    "webhook_event",
    "webhook_state",
    "campaign_alias",
    "delivery_part",
    "delivery",
    "membership",
    "person",
  ])
    await sql`delete from ${sql.table(table)}`.execute(db);
  asked.length = 0;
  files.length = 0;
});

async function person() {
  const { me, setCookie } = await accounts.signUp(signUpForm(), visitor());
  return { id: me.id, me, cookie: cookieOf(setCookie), owner: ownerOf(db, me.id) };
}

const devicesGaveUp = () => clock.advance(3 * 60_000);

test("nothing of a deleted account is left in any table, and nothing of another's is touched", async () => {
  await fillAccount(db, await accountRow(db));
  await takeFirstAccount(db);
  const before = await allTables(db);
  const { owner, me, id } = await person();
  await fillAccount(db, id);
  const filled = await allTables(db);
  const untouched = [...filled]
    .filter(([name, { rows }]) => rows === before.get(name)?.rows)
    .map(([name]) => name);
  expect(untouched.toSorted()).toEqual(UNOWNED_TABLES.toSorted());

  await removal.remove(owner, PASSWORD);
  devicesGaveUp();
  await removal.work();
  await sql`delete from rate_limit where key like 'signup:%'`.execute(db);
  expect(Object.fromEntries(await allTables(db))).toEqual(Object.fromEntries(before));
  await accounts.signUp(signUpForm({ email: me.email }), visitor());
});

test("from the answer on the account is closed: no session, no key, no password, no campaign handed out and no message", async () => {
  const { owner, me, cookie, id } = await person();
  await fillAccount(db, id);
  const { rows: lanes } = await sql<{ connectionId: number; fence: number }>`
    select id as "connectionId", fence from connection where account_id = ${id} and kind = 'device'`.execute(
    db,
  );
  const [lane = { connectionId: 0, fence: 0 }] = lanes;
  await sql`insert into outbox (account_id, connection_id, phone, text, message_id, body_hash, origin)
    values (${id}, ${lane.connectionId}, 5511911112222, 'Oi', 'WAITS', '', 'chat')`.execute(db);
  const { key } = await createApiKey(owner, { name: "x", days: null }, clock);
  const lives = async () =>
    (await sql<{ status: string }>`select status from campaign where account_id = ${id}`.execute(db)).rows;
  expect(await lives()).toEqual([{ status: "sending" }]);
  const woken: string[] = [];
  const listener = await database.listen(LANE_CHANNEL, (payload) => void woken.push(payload));
  onTestFinished(() => listener.close());
  await removal.remove(owner, PASSWORD);
  expect(await lives()).toEqual([{ status: "cancelled" }]);
  expect(await claimOutbox(db, lane, 10, true)).toEqual([]);
  await expect.poll(() => woken).toEqual([expect.stringMatching(/^lane:\d+$/)]);
  expect(asked).toEqual([0]);
  expect(await accounts.authenticate(withCookie(cookie))).toBeNull();
  const headers = new Headers({ authorization: `Bearer ${key}` });
  expect(await accounts.authenticate({ headers })).toBeNull();
  const login = accounts.login({ email: me.email, password: PASSWORD }, visitor());
  await expect(login).rejects.toMatchObject({ code: "login_failed" });
  await expect(accounts.me(owner)).rejects.toMatchObject({ code: "unauthenticated" });
});

test("a wrong password deletes nothing", async () => {
  const { owner, cookie } = await person();
  await expect(removal.remove(owner, "errada 123")).rejects.toMatchObject({
    details: { fields: { password: "wrong_password" } },
  });
  expect(await accounts.authenticate(withCookie(cookie))).not.toBeNull();
  expect(asked).toEqual([]);
});

test("devices are asked to log out and waited for; instances at gateways are let go as they are", async () => {
  const { owner, id } = await person();
  await fillAccount(db, id);
  await removal.remove(owner, PASSWORD);
  await removal.work();
  const { rows } = await sql<{ kind: string; desired: string }>`
    select kind, desired from connection where account_id = ${id}`.execute(db);
  expect(rows).toEqual([{ kind: "device", desired: "removed" }]);
  const campaigns = await sql<{
    status: string;
  }>`select status from campaign where account_id = ${id}`.execute(db);
  expect(campaigns.rows).toEqual([{ status: "cancelled" }]);
  expect(asked).toEqual([0, 2_000]);
  await sql`delete from connection where account_id = ${id}`.execute(db);
  await removal.work();
  expect((await sql`select * from account where id = ${id}`.execute(db)).rows).toEqual([]);
  expect(asked).toEqual([0, 2_000]);
});

test("a key and a session that were being made while the account closed open nothing, also while it waits for its devices", async () => {
  const { owner, cookie, id } = await person();
  await fillAccount(db, id);
  const { rows } = await sql<{
    row: object;
  }>`select to_jsonb(s) as row from session s where account_id = ${id}`.execute(db);
  await removal.remove(owner, PASSWORD);
  const { key } = await createApiKey(owner, { name: "x", days: null }, clock);
  for (const { row } of rows)
    await sql`insert into session select * from jsonb_populate_record(null::session, ${JSON.stringify(row)}::jsonb)`.execute(
      db,
    );
  const opened = async () => [
    await accounts.authenticate(withCookie(cookie)),
    await accounts.authenticate({ headers: new Headers({ authorization: `Bearer ${key}` }) }),
  ];
  expect(await opened()).not.toContain(null);
  await removal.work();
  expect(await opened()).toEqual([null, null]);
  expect((await sql`select from account where id = ${id}`.execute(db)).rows).toHaveLength(1);
});

test("a process that died in the middle: the next one takes away the rest", async () => {
  const { owner, id } = await person();
  await fillAccount(db, id);
  const list = await listRow(db, id, 12_000);
  await removal.remove(owner, PASSWORD);
  await sql`delete from membership where list_id = ${list} and seq < 5000`.execute(db);
  devicesGaveUp();
  await removal.work();
  expect((await sql`select from membership where list_id = ${list}`.execute(db)).rows).toEqual([]);
  expect((await sql`select from account`.execute(db)).rows).toEqual([]);
  await removal.work();
});

test("an account that cannot be taken away holds up no other, and is tried again later", async () => {
  const [stuck, next] = [await person(), await person()];
  for (const { owner } of [stuck, next]) await removal.remove(owner, PASSWORD);
  await sql`create function refuse() returns trigger language plpgsql as $$ begin raise 'on purpose'; end $$`.execute(
    db,
  );
  await sql`create trigger refuse before delete on account for each row
    when (old.id = ${sql.lit(stuck.id)}::uuid) execute function refuse()`.execute(db);
  asked.length = 0;
  await removal.work();
  const left = async () => (await sql`select id from account`.execute(db)).rows;
  expect(await left()).toEqual([{ id: stuck.id }]);
  expect(asked).toEqual([60_000]);
  await sql`drop function refuse cascade`.execute(db);
  await removal.work();
  expect(await left(), "left alone for a while").toHaveLength(1);
  clock.advance(60_000);
  await removal.work();
  expect(await left()).toEqual([]);
});

test("a campaign started while its account closes sends no more, and its numbers log out promptly", async () => {
  const [large, next] = [await person(), await person()];
  for (const { owner } of [large, next]) await removal.remove(owner, PASSWORD);
  await fillAccount(db, next.id);
  const slow = new AccountRemoval({
    db,
    clock,
    log: testLog,
    hasher: deps.hasher,
    guard: deps.guard,
    connections,
    pruneImports: async () => clock.advance(61_000),
    ask: async () => undefined,
  });
  await slow.work();
  const { rows } = await sql`select status from campaign where account_id = ${next.id}`.execute(db);
  expect(rows).toEqual([{ status: "cancelled" }]);
  const numbers = await sql`select kind, desired from connection where account_id = ${next.id}`.execute(db);
  expect(numbers.rows).toEqual([{ kind: "device", desired: "removed" }]);
});

test("a process that ends with the very commit that closes an account: another takes it away, without anybody asking again", async () => {
  const jobs = await openJobs(database, testLog, 1);
  onTestFinished(() => jobs.stop());
  const queue = await jobs.queue({ name: "remove-accounts", workers: 1, silenceSeconds: 10, pollMs: 500 });
  const ended = async () => {
    throw new Error("ended");
  };
  const ending = new AccountRemoval({
    db,
    clock,
    log: testLog,
    hasher: deps.hasher,
    guard: deps.guard,
    connections,
    pruneImports: ended,
    ask: (delayMs, tx) => (tx ? queue.put("removed", {}, delayMs, tx) : ended()),
  });
  const { owner, id } = await person();
  await fillAccount(db, id);
  await expect(ending.remove(owner, "errada 123")).rejects.toMatchObject({ code: "invalid_fields" });
  await ending.remove(owner, PASSWORD);
  devicesGaveUp();
  await queue.work(() => removal.work());
  const left = async () => (await sql`select id from account`.execute(db)).rows;
  await expect.poll(left, { timeout: 30_000 }).toEqual([]);
});

test("messages that another is taking away are not waited for", async () => {
  const { owner, id } = await person();
  await fillAccount(db, id);
  const rows = async (table: string) =>
    (await sql`select from ${sql.table(table)} where account_id = ${id}::uuid`.execute(db)).rows.length;
  expect(await rows("outbox")).toBe(1);
  expect(await rows("chat")).toBe(1);
  await sql`insert into direct_message_usage (account_id, day, messages)
    select a.id, (o.at at time zone a.time_zone)::date, 1 from account a join outbox o on o.account_id = a.id where a.id = ${id}::uuid
    on conflict do nothing`.execute(db);
  await unhurried(db, async (other) => {
    await sql`delete from outbox where account_id = ${id}::uuid`.execute(other);
    await removal.remove(owner, PASSWORD);
    await removal.work();
    expect(await rows("chat")).toBe(0);
  });
});

test("an import that runs is stopped, keeps nothing, and its file goes", async () => {
  const { owner, id } = await person();
  const spool = "3f2b6d0e-0000-4000-8000-000000000001";
  await sql`insert into contact_import (account_id, list_name, state, spool, worker, lease_until)
    values (${id}, 'x', 'running', ${spool}, gen_random_uuid(), now() + interval '1 minute')`.execute(db);
  await removal.remove(owner, PASSWORD);
  await removal.work();
  expect(files).toEqual([spool]);
  expect((await sql`select from contact_import`.execute(db)).rows).toEqual([]);
});
