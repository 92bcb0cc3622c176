import { sql } from "kysely";
import { expect, test } from "vitest";
import { accountRow, listRow } from "../../../tests/support/campaign-rows.ts";
import { contactsApp } from "../../../tests/support/contacts.ts";
import { testDatabase } from "../../../tests/support/database.ts";
import type { ContactListCard, ListedContact } from "../../contract/contacts.ts";

const database = await testDatabase();
const { db } = database;
const contacts = contactsApp(database);

async function setting() {
  const account = await accountRow(db);
  const me = contacts.as(account);
  const people = async () => {
    const { rows } = await sql<Record<string, unknown>>`
      select phone::text as phone, name, origin, origin_import_id as import, origin_row as row from person
      where account_id = ${account}::uuid order by phone`.execute(db);
    return rows;
  };
  const kept = async () => {
    const { rows } = await sql<{ people: number }>`select people from account_people
      where account_id = ${account}::uuid`.execute(db);
    return rows[0]?.people ?? 0;
  };
  const listed = async (listId: number | null) => {
    const { body } = await me.call<{ items: ListedContact[] }>(
      "GET",
      `/api/contact-lists/${listId}/contacts`,
    );
    return body.items.map(({ name, phone }) => [name, phone]);
  };
  return { account, me, people, kept, listed };
}

test("a known phone is placed in the new list; a name replaces the known one, an empty one never does", async () => {
  const { me, people, kept, listed } = await setting();
  const first = await me.import("Nome;Telefone\nAna;11987654321\nBia;11987654322\n;11987654323\n");
  const second = await me.import(
    "Nome;Telefone\nNova;11987654320\n;11987654322\nAna Lúcia;11987654321\nCléo;11987654323\n",
  );
  expect(second).toMatchObject({ imported: 4, repeated: 0, refused: 0 });
  expect(await listed(first.listId)).toEqual([
    ["Ana Lúcia", "5511987654321"],
    ["Bia", "5511987654322"],
    ["Cléo", "5511987654323"],
  ]);
  expect(await listed(second.listId)).toEqual([
    ["Nova", "5511987654320"],
    ["Bia", "5511987654322"],
    ["Ana Lúcia", "5511987654321"],
    ["Cléo", "5511987654323"],
  ]);
  const file = { origin: "file", import: first.id };
  expect(await people()).toEqual([
    { phone: "5511987654320", name: "Nova", origin: "file", import: second.id, row: 2 },
    { ...file, phone: "5511987654321", name: "Ana Lúcia", row: 2 },
    { ...file, phone: "5511987654322", name: "Bia", row: 3 },
    { ...file, phone: "5511987654323", name: "Cléo", row: 4 },
  ]);
  expect(await kept()).toBe(4);
});

test("a later row of the file names a person who was known without a name", async () => {
  const { me, people } = await setting();
  await me.import("Nome;Telefone\n;11987654321\nBia;11987654322\n");
  await me.import("Nome;Telefone\n;11987654321\n;11987654322\nAna;(11) 98765-4321\n");
  expect((await people()).map(({ name }) => name)).toEqual(["Ana", "Bia"]);
});

test("more known people than a batch holds are placed in the file's order", async () => {
  const { account, me, kept } = await setting();
  const rows = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, at) => `P${from + at};119${String(20_000_000 + from + at)}\n`);
  await me.import(`Nome;Telefone\n${rows(0, 30_000).join("")}`);
  const mixed = rows(10_000, 50_000).toReversed();
  const { listId } = await me.import(`Nome;Telefone\n${mixed.join("")}`);
  const { rows: places } = await sql<{ n: number; right: number; contacts: number }>`
    select count(*)::int as n, (count(*) filter (where p.name = 'P' || (49999 - m.seq)))::int as right,
      (select contacts from contact_list where id = ${listId}) as contacts
    from membership m join person p on p.id = m.person_id and p.account_id = ${account}::uuid
    where m.list_id = ${listId}`.execute(db);
  expect(places).toEqual([{ n: 40_000, right: 40_000, contacts: 40_000 }]);
  expect(await kept()).toBe(50_000);
});

test("a contact added by hand whose phone is known is that person, under the new name", async () => {
  const { account, me, people, kept } = await setting();
  const listId = await listRow(db, account, 2);
  const add = (name: string, more = {}) =>
    me.call<{ listId: number }>("POST", "/api/contacts", { name, phone: "11900000001", ...more });
  expect(await add("Bia")).toMatchObject({ status: 201, body: { listName: "Contato manual - Bia" } });
  expect(await add("Beatriz", { listId })).toMatchObject({ status: 409, body: { code: "contact_repeated" } });
  expect((await people()).map(({ name }) => name)).toEqual(["Pessoa 0", "Bia"]);
  expect(await kept()).toBe(2);
  const { body } = await me.call<ContactListCard>("GET", `/api/contact-lists/${listId}`);
  expect(body).toMatchObject({ count: 2, first: [{ name: "Pessoa 0" }, { name: "Bia" }] });
});

test("a deleted list leaves its people, in the account's count too", async () => {
  const { account, me, people, kept } = await setting();
  const listId = await listRow(db, account, 3);
  await me.call("DELETE", `/api/contact-lists/${listId}`);
  expect(await people()).toHaveLength(3);
  expect(await kept()).toBe(3);
  expect((await sql`select from membership where list_id = ${listId}`.execute(db)).rows).toEqual([]);
});

test("a deleted person leaves all lists, and every count is one less", async () => {
  const { account, me, kept } = await setting();
  const lists = [await listRow(db, account, 3), await listRow(db, account, 2)];
  await sql`delete from person where account_id = ${account}::uuid and phone in (5511900000000, 5511900000002)`.execute(
    db,
  );
  const cards = await Promise.all(
    lists.map((id) => me.call<ContactListCard>("GET", `/api/contact-lists/${id}`)),
  );
  expect(cards.map(({ body }) => body.count)).toEqual([1, 1]);
  expect(cards[0]?.body.first).toEqual([{ name: "Pessoa 1", phone: "5511900000001" }]);
  expect(await kept()).toBe(1);
});

test("another account's person of the same phone is another person", async () => {
  const [us, others] = [await setting(), await setting()];
  await us.me.import("Nome;Telefone\nAna;11987654321\n");
  await others.me.import("Nome;Telefone\nA vizinha;11987654321\n");
  expect((await us.people()).map(({ name }) => name)).toEqual(["Ana"]);
  expect((await others.people()).map(({ name }) => name)).toEqual(["A vizinha"]);
});

test("a contact added by hand while an import brings the same phone waits for it, and both end", async () => {
  const { account, me, people, kept } = await setting();
  const listId = await listRow(db, account, 0);
  const file = `Nome;Telefone\n${Array.from({ length: 100 }, (_, at) => `P${at};119876543${String(at).padStart(2, "0")}`).join("\n")}\n`;
  const add = (at: number) =>
    me.call("POST", "/api/contacts", {
      name: "Ana",
      phone: `119876543${String(at).padStart(2, "0")}`,
      listId,
    });
  const [report, ...added] = await Promise.all([
    me.import(file),
    ...Array.from({ length: 20 }, (_, at) => add(at)),
  ]);
  expect(report).toMatchObject({ state: "done", imported: 100 });
  expect(added.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 201));
  expect(await people()).toHaveLength(100);
  expect(await kept()).toBe(100);
});
