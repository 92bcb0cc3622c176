import { sql } from "kysely";
import { expect, test } from "vitest";
import { testDatabase } from "../../../tests/support/database.ts";
import { GROUP, incoming, receiveLab } from "../../../tests/support/receive-lab.ts";
import { ownerOf } from "../db/owner.ts";
import { askGroupNames, groupNamer } from "./group-names.ts";
import { toChat } from "./presenter.ts";
import { findChats } from "./repo.ts";

const { db } = await testDatabase();
const changes = { mark: () => undefined };
const groupOf = (one: number) => `1203630000000001${String(one).padStart(2, "0")}@g.us`;

async function arrange() {
  const lab = await receiveLab(db);
  const { rows } = await sql<{ account: string; connection: number }>`
    select account_id as account, id as connection from connection order by id desc limit 1`.execute(db);
  const { account = "", connection = 0 } = rows[0] ?? {};
  const asked = async () =>
    (
      await sql<{ jid: string }>`select jid from chat
        where connection_id = ${connection} and subject_asked_at is not null order by jid`.execute(db)
    ).rows.length;
  const names = async (search = "") =>
    (await findChats(ownerOf(db, account), connection, { search, after: null, limit: 50 })).map(
      (row) => toChat(row, null, new Date()).name,
    );
  return { ...lab, asked, names, place: { accountId: account, connectionId: connection } };
}

test("26.A5 a group is called by its name once that is known, by its id until then, and is found by it @spec 2.73", async () => {
  const { receive, names, place, marks } = await arrange();
  await receive(incoming({ chat: [GROUP], pushName: "Ana" }));
  expect(await names()).toEqual([GROUP]);
  const name = groupNamer({ db, changes: { mark: (_account, _topic, id) => void marks.push(id) } });
  marks.length = 0;
  await name(place, GROUP, " Vizinhos\n\u202e da rua ");
  await name(place, GROUP, "Vizinhos da rua");
  expect(await names()).toEqual(["Vizinhos da rua"]);
  expect(await names("vizinhos")).toEqual(["Vizinhos da rua"]);
  expect(await names("padaria")).toEqual([]);
  expect(marks).toHaveLength(1);
  await name(place, GROUP, " ");
  expect(await names()).toEqual(["Vizinhos da rua"]);
});

test("another connection's group of the same id keeps its own name", async () => {
  const [ours, theirs] = [await arrange(), await arrange()];
  for (const { receive } of [ours, theirs]) await receive(incoming({ chat: [GROUP] }));
  await groupNamer({ db, changes })({ ...theirs.place, accountId: ours.place.accountId }, GROUP, "Alheio");
  await groupNamer({ db, changes })(ours.place, GROUP, "Nosso");
  expect([await ours.names(), await theirs.names()]).toEqual([["Nosso"], [GROUP]]);
});

test("however many messages come, a group is asked for once a day, three at once and twenty an hour", async () => {
  const { receive, asked, place, chats } = await arrange();
  await receive(...Array.from({ length: 40 }, (_, one) => incoming({ chat: [groupOf(one)] })));
  expect(await asked()).toBe(3);
  await receive(incoming({ chat: [groupOf(0)] }), incoming({ chat: [groupOf(0)] }));
  const ids = (await chats()).map(({ id }) => id);
  const now = Date.now();
  for (let times = 0; times < 20; times++) await askGroupNames(db, place, ids, new Date(now));
  expect(await asked()).toBe(20);
  const inAnHour = new Date(now + 61 * 60_000);
  for (let times = 0; times < 20; times++) await askGroupNames(db, place, ids, inAnHour);
  expect(await asked()).toBe(40);
  const before = await sql`select max(subject_asked_at) as at from chat`.execute(db);
  await askGroupNames(db, place, ids, new Date(now + 2 * 3_600_000));
  expect(await sql`select max(subject_asked_at) as at from chat`.execute(db)).toEqual(before);
});

test("people are not asked for", async () => {
  const { receive, asked } = await arrange();
  await receive(incoming());
  expect(await asked()).toBe(0);
});
