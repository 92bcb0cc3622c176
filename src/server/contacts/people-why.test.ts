import { sql } from "kysely";
import { expect, test } from "vitest";
import { accountRow, campaignRow, connectionRow, partsLeft } from "../../../tests/support/campaign-rows.ts";
import { chatRow, messageRow } from "../../../tests/support/chat-rows.ts";
import { contactsApp } from "../../../tests/support/contacts.ts";
import { testDatabase } from "../../../tests/support/database.ts";
import type { Person } from "../../contract/people.ts";

const database = await testDatabase();
const { db } = database;
const contacts = contactsApp(database);

const NOON = new Date("2026-11-20T15:00:00Z");
const PHONE = 5511900000000;

async function known(name: string) {
  const account = await accountRow(db);
  const me = contacts.as(account);
  await me.import(`Nome;Telefone\n${name};11900000000\n`, {
    name: "Clientes <VIP>",
    fileName: "clientes.csv",
  });
  await sql`update person set created_at = ${NOON} where account_id = ${account}::uuid`.execute(db);
  const [person] = (await me.call<{ items: Person[] }>("GET", "/api/people")).body.items;
  const text = async () =>
    (await me.call<{ text: string }>("GET", `/api/people/${person?.id}/why`)).body.text;
  return { account, me, text, path: `/api/people/${person?.id}/why.html` };
}

test("origin, lists, campaigns, the last reply and the opt-out are in the answer, as text and as a file", async () => {
  const { account, me, text, path } = await known("Ana");
  const connectionId = await connectionRow(db, account);
  const campaign = await campaignRow(db, account, { name: "Natal & Ano", people: { read: 1 } });
  await sql`update delivery set at = ${NOON} where campaign_id = ${campaign}`.execute(db);
  const chat = await chatRow(db, { account, connectionId, phone: PHONE });
  await messageRow(db, chat, { text: "Oi", at: NOON });
  await sql`insert into opt_out (account_id, phone, source, text, created_at)
    values (${account}::uuid, ${PHONE}, 'reply', 'Pare <já>', ${NOON})`.execute(db);
  const expected = [
    "Por que recebi isto?",
    "",
    "Ana, +55 11 90000-0000",
    "Contato desde 20/11/2026, 12:00. Origem: lista importada, arquivo «clientes.csv», linha 2.",
    "Listas: Clientes <VIP>.",
    "",
    "Mensagens de campanhas: 1.",
    "- 20/11/2026, 12:00: Natal & Ano (Lido)",
    "",
    "Última mensagem recebida deste número: 20/11/2026, 12:00.",
    "Não recebe mais campanhas desde 20/11/2026, 12:00, quando escreveu: «Pare <já>»",
  ];
  expect((await text()).split("\n")).toEqual(expected);
  const file = await me.call("GET", path);
  expect(file.headers.get("content-disposition")).toBe('attachment; filename="por-que-recebi-isto.html"');
  expect(file.headers.get("content-type")).toBe("text/html; charset=utf-8");
  expect(file.text).toContain("Listas: Clientes &#60;VIP&#62;.");
  expect(file.text).toContain("<li>20/11/2026, 12:00: Natal &#38; Ano (Lido)</li>");
  expect(file.text).not.toMatch(/<já>|<VIP>|<script/);
});

test("a campaign that stopped between its messages is not said to have sent none", async () => {
  const { account, text } = await known("Ana");
  const campaign = await campaignRow(db, account, { name: "Natal", people: { error: 1 } });
  await partsLeft(db, { campaign, parts: 3, left: 2 });
  expect(await text()).toMatch(/: Natal \(.+; 2 de 3 mensagens\)$/m);
});

test("a person without a name who was sent nothing gets an answer too", async () => {
  const { account, text } = await known("");
  await sql`delete from contact_list where account_id = ${account}::uuid`.execute(db);
  const lines = (await text()).split("\n").filter((line) => line !== "");
  expect(lines).toEqual([
    "Por que recebi isto?",
    "Número +55 11 90000-0000",
    expect.stringContaining("Origem: lista importada"),
    "Não está em nenhuma lista.",
    "Nenhuma mensagem de campanha.",
    "Nenhuma mensagem recebida deste número.",
    "Para não receber mais, basta responder SAIR.",
  ]);
});
