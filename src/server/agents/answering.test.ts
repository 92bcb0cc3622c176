import { sql } from "kysely";
import { expect, onTestFinished, test, vi } from "vitest";
import { agentLab } from "../../../tests/support/agent-lab.ts";
import { twinOf } from "../../../tests/support/agent-twin.ts";
import { testDatabase } from "../../../tests/support/database.ts";
import { untilWaiting, waiting } from "../../../tests/support/waiting.ts";
import { DELIVERY } from "../../domain/delivery.ts";
import { LANE_CHANNEL } from "../sending/ledger/signals.ts";

const database = await testDatabase();
const { db } = database;
const lab = await agentLab(database);
const { mistral, arrange, settled } = lab;
const ANA = "5511987654321";
const BIA = "5511987654322";

test("a direct text is answered once, with context, while the other side sees typing @decision 22", async () => {
  const { write, outbox, got, answers, chatOf, call } = await arrange();
  const typing: string[] = [];
  const listener = await database.database.listen(LANE_CHANNEL, (payload) => void typing.push(payload));
  onTestFinished(() => listener.close());
  await write(ANA, { text: "Oi", pushName: "Ana" });
  expect(await got()).toEqual(["Atendente: Oi (1)"]);
  await write(ANA, "Quanto custa?");
  expect(await got()).toEqual(["Atendente: Oi (1)", "Atendente: Quanto custa? (3)"]);
  expect(mistral.completions().at(-1)?.messages.slice(0, 2)).toEqual([
    { role: "user", content: "Oi" },
    { role: "assistant", content: "Atendente: Oi (1)" },
  ]);
  const [last] = await answers();
  expect(await outbox()).toHaveLength(2);
  expect((await outbox())[1]).toMatchObject({
    phone: ANA,
    jid: null,
    origin: "agent",
    key: `agent:${last?.id}`,
  });
  expect(last).toMatchObject({
    state: "sent",
    reason: null,
    question: "Quanto custa?",
    text: "Atendente: Quanto custa? (3)",
    agentName: "Atendente",
    chatName: "Ana",
    finishedAt: expect.any(String),
  });
  const ofChat = await call<{ answers: unknown[] }>("GET", `/api/chats/${await chatOf(ANA)}/answers`);
  expect(ofChat.body.answers).toEqual(await answers());
  const moved = sql<{ last: string }>`select last_text as last from chat where id = ${await chatOf(ANA)}`;
  await expect.poll(async () => (await moved.execute(db)).rows[0]?.last).toBe(last?.text);
  await vi.waitFor(
    () => expect(typing.filter((one) => one.includes(`:${ANA}@s.whatsapp.net`))).not.toEqual([]),
    60_000,
  );
});

test("several messages in a row get one answer; one that comes while it is thought about gets the answer instead", async () => {
  const patient = await agentLab(await testDatabase(), { quiet: 600_000, poll: 500 });
  const talk = await patient.arrange();
  await talk.write(ANA, "Oi", "tudo bem?");
  await talk.write(ANA, "quanto custa?");
  for (const waited of [false, true])
    await vi.waitFor(async () => {
      const { rows } = await sql`update answer_job set due_at = now()
        where taken_until is null and waited = ${waited} returning id`.execute(patient.db);
      expect(rows).toHaveLength(1);
    }, 60_000);
  expect(await talk.got()).toEqual(["Atendente: Oi\ntudo bem?\nquanto custa? (1)"]);
  const { write, got, trace } = await arrange();
  const thought = held();
  await write(BIA, "primeira");
  await thought.asked;
  await write(BIA, "segunda");
  thought.release();
  expect(await got()).toEqual(["segunda respondida"]);
  expect(await trace()).toEqual(["skipped newer", "sent"]);
});

function held() {
  let release = () => {};
  let asked = () => {};
  const wait = new Promise<void>((resolve) => {
    release = resolve;
  });
  const begun = new Promise<void>((resolve) => {
    asked = resolve;
  });
  mistral.answers(async ({ messages }) => {
    asked();
    await wait;
    return `${String(messages.at(-1)?.content).split("\n").at(-1)} respondida`;
  });
  onTestFinished(() => mistral.reset());
  return { asked: begun, release };
}

test("a chat that becomes another's while it is thought about gets the answer all the same", async () => {
  const { write, got, outbox, trace } = await arrange();
  await write(BIA, "Olá");
  await got();
  const thought = held();
  const hidden = "70000000000031@lid";
  await write(BIA, { chat: [hidden], text: "pergunta" });
  await thought.asked;
  await write(BIA, { chat: [`${BIA}@s.whatsapp.net`, hidden], kind: "image", text: "" });
  thought.release();
  expect((await got()).slice(1)).toEqual(["pergunta respondida"]);
  expect((await outbox()).at(-1)).toMatchObject({ phone: BIA, jid: null });
  expect(await trace()).toEqual(["sent", "sent"]);
});

test("groups, our own messages, pictures and words of leaving are never answered", async () => {
  const { write, got, trace, outbox } = await arrange();
  const group = { chat: ["120363000000000000@g.us"], participant: `${ANA}@s.whatsapp.net` };
  await write(ANA, { ...group, text: "Oi, pessoal" });
  await write("5511987650001", { fromMe: true, text: "Nosso" });
  await write("5511987650002", { kind: "audio", text: "" });
  await write("5511987650003", { kind: "image", text: "olha" });
  await write("5511987650004", "Sair!");
  expect(await got()).toEqual([]);
  expect(await trace()).toEqual([]);
  expect((await outbox()).map(({ origin }) => origin)).toEqual(["opt_out"]);
});

test("no answer without a link, with an inactive one, or where the chat is switched off @decision 22", async () => {
  const none = await arrange({ linked: false });
  await none.write(ANA, "Oi");
  expect(await none.got()).toEqual([]);

  const { write, got, call, chatOf, connectionId, trace } = await arrange();
  const state = async () =>
    (await call<{ assistant: unknown }>("GET", `/api/chats/${await chatOf(ANA)}`)).body.assistant;
  await call("PATCH", `/api/connections/${connectionId}/assistant`, { active: false });
  await write(ANA, "Oi");
  expect(await state()).toMatchObject({ state: "inactive", name: "Atendente" });
  expect(await got()).toEqual([]);
  lab.pass(2_000);
  await call("PATCH", `/api/connections/${connectionId}/assistant`, { active: true });
  await call("PATCH", `/api/chats/${await chatOf(ANA)}`, { assistant: false });
  await write(ANA, "Alguém?");
  expect(await got()).toEqual([]);
  expect(await state()).toMatchObject({ state: "off" });
  await call("PATCH", `/api/chats/${await chatOf(ANA)}`, { assistant: true });
  await write(ANA, "Olá?");
  expect(await got()).toHaveLength(1);
  expect(await trace()).toEqual(["sent"]);
});

test("a person who answers on the phone or here makes it silent in this chat for the time set, and nowhere else", async () => {
  const { write, got, call, chatOf, connectionId } = await arrange();
  await call("PATCH", `/api/connections/${connectionId}/assistant`, { pauseMinutes: 30 });
  await write(ANA, { fromMe: true, text: "Aqui é a Carla" });
  await write(BIA, "Oi");
  expect(await got()).toHaveLength(1);
  await call("POST", `/api/chats/${await chatOf(BIA)}/messages`, { text: "Aqui também" });
  for (const phone of [ANA, BIA]) await write(phone, "Obrigado");
  await write("5511987654323", "Oi");
  expect(await got()).toHaveLength(2);
  lab.pass(29 * 60_000);
  await write(ANA, "Mais uma coisa");
  expect(await got()).toHaveLength(2);
  lab.pass(61_000);
  for (const phone of [ANA, BIA]) await write(phone, "Ainda aí?");
  expect(await got()).toHaveLength(4);
});

test.each([
  ["on the phone", "human"],
  ["here", "human"],
  ["with the switch of the chat", "switched_off"],
  ["by deactivating it", "inactive"],
  ["by unlinking it", "inactive"],
  ["by linking another", "inactive"],
])("a person who steps in %s while it thinks is not talked over", async (how, reason) => {
  const { write, got, call, chatOf, connectionId, link, trace } = await arrange();
  await call("PATCH", `/api/connections/${connectionId}/assistant`, { pauseMinutes: 0 });
  const thought = held();
  await write(ANA, "Oi");
  await thought.asked;
  const assistant = `/api/connections/${connectionId}/assistant`;
  const chat = `/api/chats/${await chatOf(ANA)}`;
  if (how === "on the phone") await write(ANA, { fromMe: true, text: "Pois não?" });
  if (how === "here") await call("POST", `${chat}/messages`, { text: "Pois não?" });
  if (how === "with the switch of the chat") await call("PATCH", chat, { assistant: false });
  if (how === "by deactivating it") await call("PATCH", assistant, { active: false });
  if (how === "by unlinking it") await call("DELETE", assistant);
  if (how === "by linking another") await link();
  thought.release();
  expect(await got()).toEqual([]);
  expect(await trace()).toEqual([`skipped ${reason}`]);
});

test("linking the agent that answers there already takes no question from it, and is no news", async () => {
  const { account, write, got, call, agentId, connectionId } = await arrange();
  const thought = held();
  await write(ANA, "Oi");
  await thought.asked;
  const again = await call("PUT", `/api/connections/${connectionId}/assistant`, { agentId });
  expect(again).toMatchObject({ status: 200, body: { agentId, active: true } });
  thought.release();
  expect(await got()).toHaveLength(1);
  const { rows } =
    await sql`select 1 from audit_event where account_id = ${account}::uuid and kind = 'assistant_on'`.execute(
      db,
    );
  expect(rows).toHaveLength(1);
});

test("an answer that is being stored while the assistant is deactivated is not sent", async () => {
  const { account, write, call, connectionId } = await arrange();
  const thought = held();
  await write(ANA, "Oi");
  await thought.asked;
  const hold = await db.startTransaction().execute();
  await sql`select set_config('idle_in_transaction_session_timeout', '0', true)`.execute(hold);
  await sql`insert into outbox (account_id, connection_id, phone, text, message_id, idempotency_key, body_hash, origin)
    select ${account}::uuid, ${connectionId}, ${ANA}::bigint, 'x', 'X', 'agent:' || id, '', 'agent' from agent_answer
    where connection_id = ${connectionId}`.execute(hold);
  thought.release();
  await untilWaiting(db, 1, "insert into outbox");
  let done = false;
  const off = call("PATCH", `/api/connections/${connectionId}/assistant`, { active: false });
  void off.then(() => {
    done = true;
  });
  await vi.waitFor(
    async () => expect(done || (await waiting(db, "update assistant_link")) === 1).toBe(true),
    60_000,
  );
  await hold.rollback().execute();
  await off;
  await settled();
  const { rows } = await sql`select error from outbox where connection_id = ${connectionId}`.execute(db);
  expect(rows).toEqual([{ error: "answer_withdrawn" }]);
});

test.each([
  "on the phone",
  "here",
  "with the switch of the chat",
  "by deactivating it",
  "by unlinking it",
  "by linking another",
  "by deleting the agent",
])(
  "an answer that waits for its connection is not sent once a person steps in %s, and says so",
  async (how) => {
    const { write, got, call, agentId, answers, chatOf, connectionId, link } = await arrange();
    await write(BIA, "Oi");
    await write(ANA, "Oi");
    expect(await got()).toHaveLength(2);
    const assistant = `/api/connections/${connectionId}/assistant`;
    const chat = `/api/chats/${await chatOf(ANA)}`;
    if (how === "on the phone") await write(ANA, { fromMe: true, text: "Pois não?" });
    if (how === "here") await call("POST", `${chat}/messages`, { text: "Pois não?" });
    if (how === "with the switch of the chat") await call("PATCH", chat, { assistant: false });
    if (how === "by deactivating it") await call("PATCH", assistant, { active: false });
    if (how === "by unlinking it") await call("DELETE", assistant);
    if (how === "by linking another") await link();
    if (how === "by deleting the agent") await call("DELETE", `/api/mistral/agents/${agentId}`);
    const inChatAlone = ["on the phone", "here", "with the switch of the chat"].includes(how);
    const { rows } = await sql<{
      was: string;
    }>`select phone || ' ' || status || ' ' || coalesce(error, '-') as was from outbox
    where connection_id = ${connectionId} and origin = 'agent' order by phone`.execute(db);
    expect(rows.map(({ was }) => was)).toEqual([
      `${ANA} ${DELIVERY.error} answer_withdrawn`,
      inChatAlone ? `${BIA} ${DELIVERY.pending} -` : `${BIA} ${DELIVERY.error} answer_withdrawn`,
    ]);
    const failed = (await answers()).filter(({ state }) => state === "failed");
    expect(failed.map(({ reason }) => reason?.code)).toEqual(
      rows.filter(({ was }) => was.endsWith("withdrawn")).map(() => "answer_withdrawn"),
    );
  },
);

test("loops: another agent's number, the same words each time, more than twenty answers in an hour", async () => {
  const other = await arrange();
  const number = (
    await sql<{ n: string }>`select device_id as n from connection where id = ${other.connectionId}`.execute(
      db,
    )
  ).rows[0]?.n;
  const { write, got, trace, answers } = await arrange();
  await write(number ?? "", "Olá, em que posso ajudar?");
  expect(await got()).toEqual([]);
  for (const _ of [1, 2, 3, 4]) {
    await write(ANA, "Digite 1");
    await settled();
  }
  expect(await got()).toHaveLength(2);
  for (let i = 0; i < 23; i++) {
    await write(BIA, `pergunta ${i}`);
    await settled();
  }
  expect(await got()).toHaveLength(22);
  expect((await trace()).filter((one) => one !== "sent")).toEqual([
    "skipped other_agent",
    "skipped repeating",
    "skipped repeating",
    "skipped too_many",
    "skipped too_many",
    "skipped too_many",
  ]);
  expect((await answers())[0]?.reason?.text).toBe("já houve 20 respostas nesta conversa em uma hora");
  lab.pass(3_600_000);
  await write(BIA, "no dia seguinte");
  expect(await got()).toHaveLength(23);
});

test("a person who writes before each answer does not cause endless requests", async () => {
  const { write, got, trace, account, agentId, chatOf, connectionId } = await arrange();
  await write(ANA, { kind: "image", text: "" });
  const recent = new Date(lab.clock.now().getTime() - 5 * 60_000);
  await sql`insert into agent_answer (account_id, connection_id, chat_id, message_id, question, chat_name, agent_id, agent_name, state,
      reason, tries, created_at)
    select ${account}::uuid, ${connectionId}, ${await chatOf(ANA)}, -n, 'Oi', 'Ana', ${agentId}, 'Atendente', 'skipped', 'newer', 1,
      ${recent}
    from generate_series(1, 60) n`.execute(db);
  await write(ANA, "mais uma");
  expect(await got()).toEqual([]);
  expect((await trace()).at(-1)).toBe("skipped asked_too_often");
  lab.pass(3_600_000);
  await write(ANA, "depois");
  expect(await got()).toHaveLength(1);
});

test("claiming a number does not stop another account's assistants from answering it", async () => {
  const claimed = "5511987650077";
  const stranger = await arrange();
  await sql`update connection set device_id = ${claimed}, state = 'pending' where id = ${stranger.connectionId}`.execute(
    db,
  );
  const { write, got } = await arrange();
  await write(claimed, "Oi");
  expect(await got()).toEqual(["Atendente: Oi (1)"]);
  await sql`update connection set state = 'connected' where id = ${stranger.connectionId}`.execute(db);
  await write(claimed, "Olá");
  expect(await got()).toHaveLength(1);
  const said = "5511987650078";
  const other = await arrange();
  await sql`update connection set device_id = ${said}, state = 'pending' where id = ${other.connectionId}`.execute(
    db,
  );
  await twinOf(db, other.account, other.connectionId);
  await write(said, "Oi");
  expect(await got()).toHaveLength(2);
});

test("a message that comes fifteen minutes late, or was thought about for so long, is left to people, and said so", async () => {
  const { write, got, trace } = await arrange();
  await write(ANA, "pareamento");
  await got();
  lab.pass(3_600_000);
  await write(ANA, { text: "tarde", at: new Date(lab.clock.now().getTime() - 16 * 60_000) });
  expect(await got()).toHaveLength(1);
  const thought = held();
  await write(ANA, "Oi");
  await thought.asked;
  lab.pass(16 * 60_000);
  thought.release();
  expect(await got()).toHaveLength(1);
  expect(await trace()).toEqual(["sent", "skipped too_old", "skipped too_old"]);
});

test("a hidden person is answered under the address that WhatsApp tells", async () => {
  const { write, got, outbox } = await arrange();
  await write(ANA, { chat: ["70000000000001@lid"], text: "Oi" });
  expect(await got()).toHaveLength(1);
  expect((await outbox())[0]).toMatchObject({ phone: null, jid: "70000000000001@lid" });
});

test("repeated messages are answered once", async () => {
  const { write, got, trace } = await arrange();
  const message = { providerId: "3AREPEATED", text: "Oi" };
  await write(ANA, message);
  expect(await got()).toHaveLength(1);
  for (const _ of [1, 2, 3]) await write(ANA, message);
  expect(await got()).toHaveLength(1);
  expect(await trace()).toEqual(["sent"]);
});
