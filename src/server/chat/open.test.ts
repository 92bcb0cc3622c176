import { sql } from "kysely";
import { expect, test } from "vitest";
import { connectionRow } from "../../../tests/support/campaign-rows.ts";
import { ANA, chatLab, type Refusal, type ShownChat } from "../../../tests/support/chat-lab.ts";
import { chatRow, sentRow } from "../../../tests/support/chat-rows.ts";
import { testDatabase } from "../../../tests/support/database.ts";

const { db } = await testDatabase();
const arrange = chatLab(db);

test("26.14 a conversation with a new number begins empty, is not listed, and stays after a sent message", async () => {
  const { connectionId, call, list } = await arrange();
  const open = (phone: string) => call<ShownChat>("POST", "/api/chats", { connectionId, phone });
  const { status, body } = await open("(11) 98765-4321");
  expect([status, body.phone, body.kind]).toEqual([200, String(ANA), "person"]);
  expect((await list()).chats).toEqual([]);
  expect((await list("&search=98765")).chats).toEqual([]);
  const { rows: sent } = await sql`select 1 from outbox where connection_id = ${connectionId}`.execute(db);
  expect(sent, "nothing is sent").toEqual([]);
  expect((await open(String(ANA))).body.id).toBe(body.id);

  expect((await call("POST", `/api/chats/${body.id}/messages`, { text: "Bom dia" })).status).toBe(201);
  expect((await list()).chats).toMatchObject([{ id: body.id, last: { text: "Bom dia", fromMe: true } }]);
});

test("26.14 a person with a conversation gets that one, also under the address that WhatsApp answered for the number", async () => {
  const { account, connectionId, call } = await arrange();
  const known = await chatRow(db, { account, connectionId, phone: ANA });
  const old = await chatRow(db, { account, connectionId, jid: "553187654321@s.whatsapp.net" });
  await sql`insert into wa_address (phone, jid, checked_at) values (5531987654321, '553187654321@s.whatsapp.net', now())`.execute(
    db,
  );
  const open = async (phone: string, through = connectionId) =>
    (await call<ShownChat>("POST", "/api/chats", { connectionId: through, phone })).body.id;
  expect(await open("11 98765-4321")).toBe(known);
  expect(await open("31 98765-4321")).toBe(old);
  const other = await connectionRow(db, account);
  expect([known, old]).not.toContain(await open("11 98765-4321", other));
});

test("26.14 what programs have sent to a number makes its conversation one that lists show", async () => {
  const { account, connectionId, call, list } = await arrange();
  const gone = await chatRow(db, { account, connectionId, phone: ANA });
  await sentRow(db, gone, { text: "Código 1234", status: 6, origin: "api" });
  await sql`delete from chat where id = ${gone}`.execute(db);
  const { body } = await call<ShownChat>("POST", "/api/chats", { connectionId, phone: String(ANA) });
  expect((await list()).chats).toMatchObject([{ id: body.id, last: { text: "Código 1234" } }]);
});

test("26.14 what is no number is refused at its field; another's connection, and one that is being removed, are not there", async () => {
  const { account, connectionId, call } = await arrange();
  const stranger = await arrange();
  const open = (through: number, phone: string) =>
    call<Refusal>("POST", "/api/chats", { connectionId: through, phone });
  for (const phone of ["", "98765", "abc"]) {
    const { status, body } = await open(connectionId, phone);
    expect([status, Object.keys(body.fields ?? {})], phone).toEqual([422, ["phone"]]);
  }
  expect((await open(stranger.connectionId, String(ANA))).status).toBe(404);
  await sql`update connection set desired = 'removed' where id = ${connectionId}`.execute(db);
  expect((await open(connectionId, String(ANA))).status).toBe(404);
  const { rows } =
    await sql`select 1 from chat where account_id in (${account}::uuid, ${stranger.account}::uuid)`.execute(
      db,
    );
  expect(rows).toEqual([]);
});
