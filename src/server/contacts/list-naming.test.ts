import { sql } from "kysely";
import { expect, test } from "vitest";
import { accountRow, listRow } from "../../../tests/support/campaign-rows.ts";
import { contactsApp } from "../../../tests/support/contacts.ts";
import { testDatabase } from "../../../tests/support/database.ts";
import type { ContactListCard } from "../../contract/contacts.ts";
import { setLimit } from "../db/account-limits.ts";

const database = await testDatabase();
const { db } = database;
const contacts = contactsApp(database);

async function newAccount() {
  const id = await accountRow(db);
  const me = contacts.as(id);
  const cards = async () =>
    (await me.call<{ items: ContactListCard[] }>("GET", "/api/contact-lists")).body.items.map(
      ({ name, count }) => [name, count],
    );
  return { id, ...me, cards };
}

test("an empty list is made once under a key", async () => {
  const me = await newAccount();
  const make = (name: string) =>
    me.call<ContactListCard>("POST", "/api/contact-lists", { name, idempotencyKey: "k" });
  const made = await make(" Clientes ");
  expect(made).toMatchObject({ status: 201, body: { name: "Clientes", count: 0, first: [] } });
  expect((await make("Clientes")).body.id).toBe(made.body.id);
  expect(await make("Outra")).toMatchObject({ status: 409, body: { code: "idempotency_mismatch" } });
  expect(await me.cards()).toEqual([["Clientes", 0]]);
});

test("a list is renamed; one without a name, or with one too long, is refused", async () => {
  const me = await newAccount();
  const id = await listRow(db, me.id, 2);
  const rename = (name: string) => me.call("PATCH", `/api/contact-lists/${id}`, { name });
  expect(await rename(" Novos ")).toMatchObject({ status: 200, body: { id, name: "Novos", count: 2 } });
  expect((await rename("  ")).body).toMatchObject({ code: "list_name_required" });
  expect((await rename("a".repeat(121))).status).toBe(422);
  const stranger = await newAccount();
  expect((await stranger.call("PATCH", `/api/contact-lists/${id}`, { name: "x" })).status).toBe(404);
  expect(await me.cards()).toEqual([["Novos", 2]]);
});

test("a duplicate has the same people in the same order; a change of one leaves the other", async () => {
  const me = await newAccount();
  const id = await listRow(db, me.id, 4);
  await sql`update membership set seq = 10 - seq where list_id = ${id}`.execute(db);
  const copy = () =>
    me.call<ContactListCard>("POST", `/api/contact-lists/${id}/duplicate`, {
      name: "Cópia",
      idempotencyKey: "k",
    });
  const made = await copy();
  expect(made).toMatchObject({
    status: 201,
    body: { name: "Cópia", count: 4, first: [{ name: "Pessoa 3" }, {}, {}] },
  });
  expect((await copy()).body.id).toBe(made.body.id);
  await me.call("DELETE", `/api/contact-lists/${id}`);
  expect(await me.cards()).toEqual([["Cópia", 4]]);
});

test("a duplicate that would pass a limit is not made", async () => {
  const me = await newAccount();
  const id = await listRow(db, me.id, 3);
  await setLimit(db, me.id, "people", 5);
  const copy = () => me.call("POST", `/api/contact-lists/${id}/duplicate`, { name: "Cópia" });
  expect((await copy()).body).toMatchObject({ code: "limit_reached", details: { limit: "people" } });
  await setLimit(db, me.id, "people", 6);
  await setLimit(db, me.id, "lists", 1);
  expect((await copy()).body).toMatchObject({ code: "limit_reached", details: { limit: "lists" } });
  expect(await me.cards()).toEqual([["Clientes", 3]]);
});
