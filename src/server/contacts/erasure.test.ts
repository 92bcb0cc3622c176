import { createHmac } from "node:crypto";
import { sql } from "kysely";
import { expect, test } from "vitest";
import { accountRow, campaignRow, connectionRow } from "../../../tests/support/campaign-rows.ts";
import { chatRow, messageRow } from "../../../tests/support/chat-rows.ts";
import { contactsApp, testSecrets } from "../../../tests/support/contacts.ts";
import { testDatabase } from "../../../tests/support/database.ts";
import type { Person, PersonDetails } from "../../contract/people.ts";
import { DELIVERY } from "../../domain/delivery.ts";
import { holdErasures } from "../db/erased-people.ts";
import { ownerOf } from "../db/owner.ts";
import { campaignsOf, openResendCounter } from "../sending/sending.ts";

const database = await testDatabase();
const { db } = database;
const contacts = contactsApp(database);

const NAME = "Zuleica Quintanilha";
const PHONE = "5531987654321";
const LID = "77788899900011@lid";
const NOON = new Date("2026-11-20T15:00:00Z");

async function known() {
  const account = await accountRow(db);
  const me = contacts.as(account);
  const person = (await me.call<PersonDetails>("POST", "/api/people", { name: NAME, phone: PHONE })).body;
  const erase = () => me.call<{ campaigns: number; chats: number }>("POST", `/api/people/${person.id}/erase`);
  return { account, me, person, path: `/api/people/${person.id}`, erase, owner: ownerOf(db, account) };
}

async function sendingTo(
  account: string,
  people: NonNullable<Parameters<typeof campaignRow>[2]>["people"],
  sketch: Parameters<typeof campaignRow>[2] = {},
) {
  const id = await campaignRow(db, account, {
    name: "Natal",
    text: "Oi, {nome}! Dono: {dono}",
    ...sketch,
    people,
  });
  await sql`update delivery set phone = ${PHONE}::bigint, name = ${NAME}, vars = jsonb_build_object('dono', ${NAME}::text) where campaign_id = ${id} and seq = 1`.execute(
    db,
  );
  return id;
}

async function placeOf(campaignId: number, seq = 1) {
  const { rows } = await sql<{ phone: string; name: string; status: number; error: string | null }>`
    select phone::text as phone, name, status, error from delivery
    where campaign_id = ${campaignId} and seq = ${seq}`.execute(db);
  return rows[0];
}

async function countersAgree(campaignId: number) {
  const { rows } = await sql<{ counted: number[]; kept: number[] }>`select
      array[c.pending_count, c.waiting_count, c.skipped_count, c.uncertain_count, c.sent_count] as kept,
      array(select (select count(*)::int from delivery d where d.campaign_id = c.id and d.status = s.status)
        from unnest(array[0, 2, 3, 4, 7]) with ordinality as s(status, n) order by n) as counted
    from campaign c where c.id = ${campaignId}`.execute(db);
  expect(rows[0]?.kept).toEqual(rows[0]?.counted);
}

async function findEverywhere(words: readonly string[]): Promise<string[]> {
  const tables = await sql<{ name: string }>`select table_name as name from information_schema.tables
    where table_schema = 'public' and table_type = 'BASE TABLE'`.execute(db);
  expect(tables.rows.length).toBeGreaterThan(40);
  const found: string[] = [];
  for (const { name } of tables.rows) {
    const { rows } = await sql<{ n: number }>`select count(*)::int as n from ${sql.table(name)} t
      where to_jsonb(t)::text ilike any(${words.map((word) => `%${word}%`)}::text[])`.execute(db);
    if ((rows[0]?.n ?? 0) > 0) found.push(name);
  }
  return found.sort();
}

const WORDS = [NAME, PHONE, "553187654321", "(31) 8765-4321", LID, "…4321"];

test("after an erasure no column of any table holds number, address or name; others keep theirs", async () => {
  const { account, me, erase } = await known();
  await me.call("POST", "/api/contacts", { name: NAME, phone: PHONE });
  const connectionId = await connectionRow(db, account);
  const campaign = await sendingTo(account, { sent: 3 }, { connectionId });
  await sql`update campaign set list_name = ${`Contato manual - ${NAME}`} where id = ${campaign}`.execute(db);
  await sql`insert into campaign_alias values (${campaign}, ${LID}, 1)`.execute(db);
  const chat = await chatRow(db, { account, connectionId, phone: Number(PHONE) });
  await sql`update chat set lid = ${LID}, push_name = ${NAME} where id = ${chat}`.execute(db);
  await messageRow(db, chat, { text: `Sou ${NAME}`, at: NOON });
  const hidden = await chatRow(db, { account, connectionId, phone: 5531911112222 });
  await sql`update chat set kind = 'group', phone = null, jid = '123@g.us', last_at = ${NOON}, last_text = ${NAME}
    where id = ${hidden}`.execute(db);
  await messageRow(db, hidden, { text: NAME, at: NOON });
  await sql`update chat_message set participant = ${LID}, participant_name = ${NAME} where chat_id = ${hidden}`.execute(
    db,
  );
  await sql`insert into outbox (account_id, connection_id, phone, text, message_id, body_hash, status)
    values (${account}::uuid, ${connectionId}, ${PHONE}::bigint, ${NAME}, 'm1', '', 7)`.execute(db);
  await sql`insert into opt_out (account_id, phone, source, text)
    values (${account}::uuid, ${PHONE}::bigint, 'reply', ${`Pare. ${NAME}`})`.execute(db);
  await sql`insert into known_conversation (connection_id, address, last_in_at)
    values (${connectionId}, ${PHONE}, now()), (${connectionId}, ${LID}, now())`.execute(db);
  await sql`insert into number_check (connection_id, phone) values (${connectionId}, ${PHONE}::bigint)`.execute(
    db,
  );
  await sql`insert into wa_address (phone, jid, lid)
    values (${PHONE}::bigint, '553187654321@s.whatsapp.net', ${LID})`.execute(db);
  await sql`insert into gateway_address (account_id, phone, jid, lid)
    values (${account}::uuid, ${PHONE}::bigint, '553187654321@s.whatsapp.net', ${LID})`.execute(db);
  await sql`insert into audit_event (account_id, kind, actor, subject)
    values (${account}::uuid, 'opt_out_undone', 'session', '…4321')`.execute(db);
  const { rows: imports } = await sql<{
    id: number;
  }>`insert into contact_import (account_id, list_name, state)
    values (${account}::uuid, 'Clientes', 'done') returning id`.execute(db);
  await sql`insert into contact_import_row (import_id, row_number, kind, name, value, reason) values
    (${imports[0]?.id}, 2, 'ninth_added', '', '(31) 8765-4321', ''),
    (${imports[0]?.id}, 3, 'refused', ${NAME}, '12', 'phone_too_short'),
    (${imports[0]?.id}, 4, 'refused', 'Bia', '12', 'phone_too_short')`.execute(db);
  await sql`insert into receipt_inbox (connection_id, provider_id, status, at, lid)
    values (${connectionId}, 'p1', 'read', now(), ${LID})`.execute(db);
  await sql`insert into outgoing_webhook_message (connection_id, provider_id, phone, lid, content, at)
    values (${connectionId}, 'p2', ${PHONE}::bigint, ${LID}, '', now())`.execute(db);
  const before = await findEverywhere(WORDS);
  expect(before).toEqual(
    expect.arrayContaining(["chat", "delivery", "opt_out", "outbox", "person", "wa_address"]),
  );

  expect(await erase()).toMatchObject({ status: 200, body: { campaigns: 1, chats: 1 } });

  expect(await findEverywhere(WORDS)).toEqual([]);
  expect(await placeOf(campaign)).toEqual({ phone: "-2", name: "", status: DELIVERY.sent, error: null });
  expect((await placeOf(campaign, 0))?.name).not.toBe("");
  const { rows: kept } = await sql<{ name: string }>`select name from contact_import_row
    where import_id = ${imports[0]?.id}`.execute(db);
  expect(kept).toEqual([{ name: "Bia" }]);
  const { rows: hashes } = await sql<{ hash: Buffer }>`select hash from erased_person
    where account_id = ${account}::uuid`.execute(db);
  const key = testSecrets.derive(`erased_person/${account}`);
  expect(hashes.map(({ hash }) => hash.toString("hex"))).toEqual([
    createHmac("sha256", key).update(PHONE).digest("hex"),
  ]);
});

test("an erased person stays out of an import, in both forms of the number, and the report counts them", async () => {
  const { account, me, erase } = await known();
  await erase();
  const report = await me.import(
    "Nome;Telefone\nAna;11987654321\n;(31) 8765-4321\nZuleica Q;31987654321\nZu;553187654321\n",
    { name: "Clientes" },
  );
  expect(report).toMatchObject({ state: "done", imported: 1, erased: 1, repeated: 2 });
  const { items, total } = (await me.call<{ items: Person[]; total: number }>("GET", "/api/people")).body;
  expect(items.map(({ name }) => name)).toEqual(["Ana"]);
  expect(total).toBe(1);
  const { rows } = await sql<{ contacts: number }>`select contacts from contact_list
    where account_id = ${account}::uuid and name = 'Clientes'`.execute(db);
  expect(rows).toEqual([{ contacts: 1 }]);
  const other = contacts.as(await accountRow(db));
  expect(await other.import("Nome;Telefone\nZu;31987654321\n", { name: "C" })).toMatchObject({
    imported: 1,
    erased: 0,
  });
});

test("an import of erased people alone leaves no list behind", async () => {
  const { account, me, erase } = await known();
  await erase();
  const report = await me.import("Nome;Telefone\nZu;31987654321\n", { name: "Só ela" });
  expect(report).toMatchObject({ state: "done", imported: 0, erased: 1, listId: null });
  const { rows } = await sql`select 1 from contact_list
    where account_id = ${account}::uuid and name = 'Só ela'`.execute(db);
  expect(rows).toEqual([]);
});

test("by hand they are refused in words, and taken back only when said so", async () => {
  const { me, erase } = await known();
  await erase();
  const again = { name: "Zu", phone: "(31) 8765-4321" };
  const refusal = { status: 409, body: { code: "person_erased" } };
  expect(await me.call("POST", "/api/people", again)).toMatchObject(refusal);
  expect(await me.call("POST", "/api/contacts", again)).toMatchObject(refusal);
  const ana = (await me.call<PersonDetails>("POST", "/api/people", { name: "Ana", phone: "11987654321" }))
    .body;
  expect(await me.call("PATCH", `/api/people/${ana.id}`, { phone: PHONE })).toMatchObject(refusal);
  expect((await me.call("POST", "/api/people", { ...again, takeBack: true })).status).toBe(201);
  expect(await me.import("Nome;Telefone\nZuleica;31987654321\n", { name: "C" })).toMatchObject({ erased: 0 });
});

test("running and paused campaigns skip them with a reason; what was sent keeps its state", async () => {
  const { account, me, erase, path } = await known();
  const pending = await sendingTo(account, { pending: 3 }, { status: "sending" });
  const waiting = await sendingTo(account, { waiting: 3 }, { status: "paused" });
  const states = ["sent", "delivered", "read", "error", "accepted", "uncertain"] as const;
  const others = await Promise.all(
    states.map((state) =>
      sendingTo(account, { [state]: 3 }, { status: state === "error" ? "ended" : "sending" }),
    ),
  );
  expect((await me.call("GET", `${path}/erasure`)).body).toEqual({
    ...{ campaigns: 8, waiting: 2, chats: 0, messages: 0, direct: 0 },
  });
  expect((await erase()).body).toEqual({ campaigns: 8, chats: 0 });
  const skipped = { phone: "-2", name: "", status: DELIVERY.skipped, error: "erased" };
  for (const id of [pending, waiting]) {
    expect(await placeOf(id)).toEqual(skipped);
    await countersAgree(id);
  }
  for (const [n, state] of states.entries()) {
    expect(await placeOf(others[n] ?? 0)).toMatchObject({ phone: "-2", status: DELIVERY[state] });
    await countersAgree(others[n] ?? 0);
  }
});

test.each([
  ["claimed", "sending", false],
  ["in doubt", "waiting", true],
] as const)("while a message to them is %s nothing is erased", async (_, state, ambiguous) => {
  const { account, erase, path, me } = await known();
  const id = await sendingTo(account, { [state]: 3 }, { status: "sending" });
  await sql`update delivery set ambiguous = ${ambiguous} where campaign_id = ${id}`.execute(db);
  expect(await erase()).toMatchObject({
    status: 409,
    body: { code: "person_in_flight", error: expect.stringContaining("«Natal»") },
  });
  expect(await placeOf(id)).toMatchObject({ phone: PHONE, name: NAME, status: DELIVERY[state] });
  expect((await me.call("GET", path)).status).toBe(200);
});

test("a direct message on its way refuses the erasure; a waiting one goes with them", async () => {
  const { account, erase } = await known();
  const connectionId = await connectionRow(db, account);
  const message = (id: string, status: number) =>
    sql`insert into outbox (account_id, connection_id, phone, text, message_id, body_hash, status)
      values (${account}::uuid, ${connectionId}, ${PHONE}::bigint, 'Oi', ${id}, '', ${status})`.execute(db);
  await message("w1", DELIVERY.pending);
  await message("w2", DELIVERY.sending);
  expect(await erase()).toMatchObject({ status: 409, body: { code: "person_in_flight_direct" } });
  await sql`update outbox set status = ${DELIVERY.sent} where message_id = 'w2'`.execute(db);
  expect((await erase()).status).toBe(200);
  const { rows } = await sql`select 1 from outbox where account_id = ${account}::uuid`.execute(db);
  expect(rows).toEqual([]);
});

test("a failure of theirs is not sent again, and a doubt of theirs cannot be", async () => {
  const { account, erase, owner } = await known();
  const connectionId = await connectionRow(db, account);
  const failed = await sendingTo(account, { error: 3 }, { status: "ended", connectionId });
  const doubt = await sendingTo(account, { uncertain: 3 }, { status: "ended", connectionId });
  const count = openResendCounter();
  const resendable = async () => (await count(owner, [{ id: failed, error: 3 }])).get(failed);
  expect(await resendable()).toBe(3);
  await erase();
  expect(await resendable()).toBe(2);
  await expect(campaignsOf(owner).resolve(doubt, 1, "resend")).rejects.toMatchObject({
    code: "person_erased",
  });
  await campaignsOf(owner).resolve(doubt, 1, "ignore");
  expect(await placeOf(doubt)).toMatchObject({ status: DELIVERY.skipped, error: "ignored" });
  await countersAgree(doubt);
});

test("while an import writes people, the erasure is refused in words", async () => {
  const { account, erase, me, path } = await known();
  const tx = await db.startTransaction().execute();
  await holdErasures(tx, account, "write");
  expect(await erase()).toMatchObject({ status: 409, body: { code: "people_busy" } });
  await tx.rollback().execute();
  expect((await me.call("GET", path)).status).toBe(200);
  expect((await erase()).status).toBe(200);
});

test("the export holds campaigns with their texts, messages and direct messages", async () => {
  const { account, me, path } = await known();
  const connectionId = await connectionRow(db, account);
  await sendingTo(account, { read: 3 }, { connectionId });
  const chat = await chatRow(db, { account, connectionId, phone: Number(PHONE) });
  await messageRow(db, chat, { text: "Quero saber mais", at: NOON });
  await sql`insert into outbox (account_id, connection_id, phone, text, message_id, body_hash, status)
    values (${account}::uuid, ${connectionId}, ${PHONE}::bigint, 'Seu boleto', 'd1', '', 7)`.execute(db);
  await sql`insert into opt_out (account_id, phone, source, text)
    values (${account}::uuid, ${PHONE}::bigint, 'reply', 'Pare')`.execute(db);
  const file = await me.call("GET", `${path}/export.json`);
  expect(file.headers.get("content-disposition")).toContain("attachment");
  expect(JSON.parse(file.text)).toMatchObject({
    person: { name: NAME, phone: PHONE, origin: { kind: "hand" }, optOut: { text: "Pare" } },
    campaigns: [
      {
        name: "Natal",
        status: "read",
        messages: { sent: 1, all: 1 },
        text: "Oi, Zuleica Quintanilha! Dono: Zuleica Quintanilha",
      },
    ],
    messages: [{ from: "person", text: "Quero saber mais", inGroup: false }],
    directMessages: [{ text: "Seu boleto", status: "sent" }],
  });
  expect((await contacts.as(await accountRow(db)).call("GET", `${path}/export.json`)).status).toBe(404);
});
