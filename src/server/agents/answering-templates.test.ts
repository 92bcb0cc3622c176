import { sql } from "kysely";
import { afterEach, expect, test } from "vitest";
import { agentLab } from "../../../tests/support/agent-lab.ts";
import { imageRow } from "../../../tests/support/campaign-rows.ts";
import { testDatabase } from "../../../tests/support/database.ts";
import { DELIVERY } from "../../domain/delivery.ts";
import { moveOutbox } from "../sending/outbox/outbox-settle.ts";

const database = await testDatabase();
const { db } = database;
const { mistral, arrange, settled } = await agentLab(database);
const ANA = "5511987654321";

afterEach(() => mistral.reset());

const INSTRUCTIONS =
  "Seja breve.\nPara a tabela: [[/Tabela]]. Para o mapa: [[/Mapa]]. Para lembrar: [[/Consulta]]";

async function talking() {
  const it = await arrange();
  const { account, agentId, call } = it;
  await call("PATCH", `/api/mistral/agents/${agentId}`, { instructions: INSTRUCTIONS });
  const file = await imageRow(db, account);
  const keep = (name: string, text: string, attachmentId: number | null = null) =>
    sql`insert into message_template (account_id, name, text, attachment_id)
      values (${account}::uuid, ${name}, ${text}, ${attachmentId})`.execute(db);
  await keep("Tabela", "Os preços de dezembro", file);
  await keep("Consulta", "Sua consulta é {dia}");
  await keep("Interna", "Só para a equipe", file);
  const asks = async (text: string, answer: string) => {
    mistral.answers(() => answer);
    await it.write(ANA, text);
    await settled();
  };
  const sent = async () =>
    (
      await sql<{ id: number; text: string; file: number | null; status: number }>`
        select id, text, attachment_id as file, status from outbox
        where account_id = ${account}::uuid and origin = 'agent' order by id`.execute(db)
    ).rows;
  const went = async () => (await sent()).map(({ text, file: its }) => [text, its]);
  const test = async (answer: string) => {
    mistral.answers(() => answer);
    const messages = [{ role: "user", content: "Preços?" }];
    return (await call("POST", `/api/mistral/agents/${agentId}/test`, { messages })).body;
  };
  return { ...it, file, keep, asks, sent, went, test };
}

test("a template that the instructions name goes out after the words, with its file, as the assistant's messages", async () => {
  const { asks, went, answers, file, chatOf, call } = await talking();
  await asks("Preços?", "Claro!\n\n**[[/tabela]]**");
  expect(await went()).toEqual([
    ["Claro!", null],
    ["Os preços de dezembro", file],
  ]);
  expect(await answers()).toMatchObject([
    { state: "sent", reason: null, text: "Claro!\n\n[imagem] Os preços de dezembro" },
  ]);
  const chat = await chatOf(ANA);
  const { body } = await call<{ messages: { source: string; attachment: { id: number } | null }[] }>(
    "GET",
    `/api/chats/${chat}/messages`,
  );
  expect(body.messages.map(({ source, attachment }) => [source, attachment?.id])).toEqual([
    ["contact", undefined],
    ["agent", undefined],
    ["agent", file],
  ]);
  await asks("Obrigada", "De nada!");
  expect(mistral.completions().at(-1)?.messages.slice(-2)).toEqual([
    { role: "assistant", content: "Claro!\n[imagem] Os preços de dezembro" },
    { role: "user", content: "Obrigada" },
  ]);
});

test.each([
  ["of no name in the library", "Aqui: [[/Mapa]]"],
  ["that the instructions do not name", "Aqui: [[/Interna]]"],
  ["invented by the model", "Aqui: [[/Outra coisa]]"],
  ["with a broken mark", "Aqui: [[/Outra coisa"],
])("a template %s is not sent, nor its mark", async (what, answer) => {
  const { asks, went, trace } = await talking();
  await asks("Oi", answer);
  expect(await went()).toEqual([["Aqui:", null]]);
  expect(await trace()).toEqual([what === "with a broken mark" ? "sent" : "sent template_gone"]);
});

test("a template deleted in between is said to the owner, also where nothing is left to send", async () => {
  const { account, asks, went, trace } = await talking();
  await sql`delete from message_template where account_id = ${account}::uuid and name = 'Tabela'`.execute(db);
  await asks("Preços?", "[[/Tabela]]");
  expect([await went(), await trace()]).toEqual([[], ["failed template_gone"]]);
});

test("a text whose value this person lacks is not sent with its mark", async () => {
  const { account, asks, went, trace } = await talking();
  await asks("Oi", "Lembrete:\n[[/Consulta]]");
  expect([await went(), await trace()]).toEqual([[["Lembrete:", null]], ["sent template_values"]]);
  await sql`insert into contact_field (account_id, key, label, kind, seq)
    values (${account}::uuid, 'dia', 'Dia', 'text', 0)`.execute(db);
  await sql`insert into person (account_id, phone, name, fields, origin)
    values (${account}::uuid, ${ANA}::bigint, 'Ana', '{"dia": "amanhã"}', 'hand')`.execute(db);
  await asks("E agora?", "[[/Consulta]]");
  expect((await went()).at(-1)).toEqual(["Sua consulta é amanhã", null]);
});

test("a human's answer withdraws every unsent message of an answer, and one that fails marks the answer", async () => {
  const { asks, sent, call, chatOf, trace } = await talking();
  await asks("Preços?", "Claro!\n[[/Tabela]]");
  await call("POST", `/api/chats/${await chatOf(ANA)}/messages`, { text: "Eu respondo" });
  expect((await sent()).map(({ status }) => status)).toEqual([DELIVERY.error, DELIVERY.error]);
  const other = await talking();
  await other.asks("Preços?", "Claro!\n[[/Tabela]]");
  const [first, second] = await other.sent();
  await moveOutbox(db, { id: first?.id ?? 0, to: DELIVERY.sent, at: new Date(), error: null });
  await moveOutbox(db, { id: second?.id ?? 0, to: DELIVERY.error, at: new Date(), error: "file_lost" });
  expect(await other.trace()).toEqual(["failed file_lost"]);
  expect(await trace()).toEqual(["failed answer_withdrawn"]);
});

test("the messages of one answer count as one answer of the hour", async () => {
  const { asks, answers, went } = await talking();
  for (let at = 0; at < 11; at++) await asks(`Pergunta ${at}`, `Resposta ${at}\n[[/Tabela]]\n[[/Tabela]]`);
  expect(await went()).toHaveLength(22);
  expect((await answers()).every(({ state }) => state === "sent")).toBe(true);
});

test("a trial says what would go out and what not, and sends nothing", async () => {
  const { test: trial, went, file } = await talking();
  expect(await trial("Claro!\n[[/Tabela]]\n[[/Interna]]\n[[/Consulta]]")).toMatchObject({
    text: "Claro!",
    sends: [
      { name: "Tabela", kind: "image", text: "Os preços de dezembro", attachment: { id: file } },
      { name: "Consulta", kind: "text", text: "Sua consulta é {dia}", attachment: null },
    ],
    refused: ["Interna"],
  });
  expect(await went()).toEqual([]);
});

test("a trial gives the model a file as a conversation does, and asks nothing about a file alone", async () => {
  const { call, agentId } = await arrange();
  const ask = (...messages: object[]) =>
    call<{ fields?: object }>("POST", `/api/mistral/agents/${agentId}/test`, { messages });
  const photo = { role: "user", kind: "image", content: "minha receita" };
  const alone = await ask(photo);
  expect([alone.status, Object.keys(alone.body.fields ?? {})]).toEqual([422, ["messages"]]);
  expect((await ask(photo, { role: "user", content: "Serve?" })).status).toBe(200);
  expect(mistral.completions().at(-1)?.messages).toEqual([
    { role: "user", content: "[imagem] minha receita\nServe?" },
  ]);
});
