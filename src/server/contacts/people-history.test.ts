import { sql } from "kysely";
import { expect, test } from "vitest";
import {
  accountRow,
  campaignRow,
  connectionRow,
  listRow,
  partsLeft,
} from "../../../tests/support/campaign-rows.ts";
import { chatRow, messageRow } from "../../../tests/support/chat-rows.ts";
import { contactsApp } from "../../../tests/support/contacts.ts";
import { testDatabase } from "../../../tests/support/database.ts";
import type { Person, PersonEvent } from "../../contract/people.ts";

const database = await testDatabase();
const { db } = database;
const contacts = contactsApp(database);

type Page = { items: PersonEvent[]; campaigns: number; next: string | null };
const PHONE = 5511900000000;
const minute = (n: number) => new Date(Date.UTC(2026, 10, 20, 12, n));

async function newAccount() {
  const id = await accountRow(db);
  const me = contacts.as(id);
  await listRow(db, id, 1);
  const [person] = (await me.call<{ items: Person[] }>("GET", "/api/people")).body.items;
  const history = async (query = "") =>
    (await me.call<Page>("GET", `/api/people/${person?.id}/history${query}`)).body;
  const reached = async (name: string, at: Date) => {
    const campaign = await campaignRow(db, id, { name, people: { delivered: 2 } });
    await sql`update delivery set at = ${at} where campaign_id = ${campaign}`.execute(db);
    return campaign;
  };
  return { id, ...me, history, reached };
}

test("campaigns and replies stand by time, newest first, at one instant too, and on pages of any size", async () => {
  const me = await newAccount();
  const connectionId = await connectionRow(db, me.id);
  const second = await connectionRow(db, me.id);
  const chat = await chatRow(db, { account: me.id, connectionId, phone: PHONE });
  const chat2 = await chatRow(db, { account: me.id, connectionId: second, phone: PHONE });
  const stranger = await chatRow(db, { account: me.id, connectionId, phone: PHONE + 1 });
  for (const at of [1, 3, 3, 5]) await me.reached(`C${at}`, minute(at));
  await messageRow(db, chat, { text: "três", at: minute(3) });
  await messageRow(db, chat, { text: "também", at: minute(3) });
  await messageRow(db, chat2, { text: "", at: minute(4) });
  await messageRow(db, chat, { text: "nossa", fromMe: true, at: minute(6) });
  await messageRow(db, stranger, { text: "de outra", at: minute(7) });
  const shown = (items: PersonEvent[]) =>
    items.map((event) => (event.kind === "campaign" ? event.campaignName : event.text));
  const expected = ["C5", null, "C3", "C3", "também", "três", "C1"];
  const whole = await me.history();
  expect(shown(whole.items)).toEqual(expected);
  expect(whole).toMatchObject({ campaigns: 4, next: null });
  expect(whole.items[1]).toEqual({
    kind: "reply",
    at: minute(4).toISOString(),
    chatId: chat2,
    connectionId: second,
    text: null,
  });
  for (const limit of [1, 2, 3, 4]) {
    const found: PersonEvent[] = [];
    let next: string | null = "";
    while (next !== null) {
      const page: Page = await me.history(`?limit=${limit}${next === "" ? "" : `&cursor=${next}`}`);
      found.push(...page.items);
      next = page.next;
    }
    expect(found).toEqual(whole.items);
  }
});

test("each delivery has its state and reason; a deleted campaign and another account's are not shown", async () => {
  const me = await newAccount();
  const failed = await campaignRow(db, me.id, { name: "Falhou", people: { error: 1 } });
  const gone = await me.reached("Excluída", minute(2));
  await sql`update campaign set deleted_at = now() where id = ${gone}`.execute(db);
  await campaignRow(db, await accountRow(db), { name: "De outra conta", people: { sent: 1 } });
  await campaignRow(db, me.id, { name: "Espera", status: "sending", people: { waiting: 1 } });
  const { items, campaigns } = await me.history();
  expect(campaigns).toBe(2);
  expect(items).toMatchObject([
    { campaignName: "Espera", status: "pending", reason: null },
    { campaignId: failed, campaignName: "Falhou", status: "error", reason: "not_on_whatsapp" },
  ]);
});

test("of several messages, those that left to a person are counted, whatever came of the rest", async () => {
  const me = await newAccount();
  const some = await campaignRow(db, me.id, { people: { error: 1 } });
  const none = await campaignRow(db, me.id, { people: { error: 1 } });
  const whole = await campaignRow(db, me.id, { people: { read: 1 } });
  const single = await campaignRow(db, me.id, { people: { read: 1 } });
  await partsLeft(db, { campaign: some, parts: 3, left: 2 });
  await partsLeft(db, { campaign: none, parts: 3, left: 0 });
  await partsLeft(db, { campaign: whole, parts: 2, left: 1 });
  const { items } = await me.history();
  const counted = items.flatMap((event) =>
    event.kind === "campaign" ? [[event.campaignId, event.messages] as const] : [],
  );
  expect(new Map(counted)).toEqual(
    new Map([
      [some, { sent: 2, all: 3 }],
      [none, { sent: 0, all: 3 }],
      [whole, { sent: 2, all: 2 }],
      [single, null],
    ]),
  );
});

test("replies at a removed connection are not shown; a made-up cursor is refused", async () => {
  const me = await newAccount();
  const connectionId = await connectionRow(db, me.id);
  await messageRow(db, await chatRow(db, { account: me.id, connectionId, phone: PHONE }));
  expect((await me.history()).items).toHaveLength(1);
  await sql`update connection set desired = 'removed' where id = ${connectionId}`.execute(db);
  expect((await me.history()).items).toEqual([]);
  expect(await me.history("?cursor=abc")).toMatchObject({ code: "invalid_fields" });
});
