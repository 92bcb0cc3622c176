import { sql } from "kysely";
import { expect, test } from "vitest";
import { accountRow, imageRow } from "../../../tests/support/campaign-rows.ts";
import {
  ANA,
  chatLab,
  type Refusal,
  type ShownChat,
  type ShownMessage,
} from "../../../tests/support/chat-lab.ts";
import { chatRow, sentRow } from "../../../tests/support/chat-rows.ts";
import { testDatabase } from "../../../tests/support/database.ts";

const { db } = await testDatabase();
const arrange = chatLab(db);

test("a message goes into the outbox for the phone, a group's or a hidden person's for the address", async () => {
  const { account, connectionId, list, send, outbox, marks } = await arrange();
  const person = await chatRow(db, {
    account,
    connectionId,
    phone: ANA,
    jid: "551187654321@s.whatsapp.net",
    unread: 3,
  });
  const group = await chatRow(db, { account, connectionId, kind: "group", jid: "1203@g.us" });
  const hidden = await chatRow(db, { account, connectionId, lid: "72@lid" });
  marks.length = 0;
  const { status, body } = await send(person, { text: "Olá,\r\ntudo bem?" });
  expect(status).toBe(201);
  expect(body).toMatchObject({
    text: "Olá,\ntudo bem?",
    status: "pending",
    source: "chat",
    fromMe: true,
    error: null,
  });
  await send(group, { text: "a todos" });
  await send(hidden, { text: "a ela" });
  expect(await outbox()).toEqual([
    { phone: String(ANA), jid: null, text: "Olá,\ntudo bem?", origin: "chat", image: null },
    { phone: null, jid: "1203@g.us", text: "a todos", origin: "chat", image: null },
    { phone: null, jid: "72@lid", text: "a ela", origin: "chat", image: null },
  ]);
  const { chats, unread } = await list();
  expect(chats.map(({ last, unread: left }) => [last.text, last.fromMe, left])).toEqual([
    ["a ela", true, 0],
    ["a todos", true, 0],
    ["Olá,\ntudo bem?", true, 0],
  ]);
  expect(unread).toBe(0);
  expect(marks).toEqual([`chats ${person}`, `chats ${group}`, `chats ${hidden}`]);
});

test("T01–T06 T10 texts: limits, blank, unreadable; nothing is stored of a refused one @spec 5.11", async () => {
  const { account, connectionId, call, send, outbox } = await arrange();
  const chat = await chatRow(db, { account, connectionId, phone: ANA });
  const attachmentId = await imageRow(db, account);
  const refused: [unknown, number][] = [
    [{ text: "a".repeat(4_097) }, 422],
    [{ text: "a".repeat(1_025), attachmentId }, 422],
    [{ text: "   \n\t" }, 422],
    [{ text: "\u200b\u200d\ufeff" }, 422],
    [{ text: "\ud800" }, 422],
    [{ text: "a\0b" }, 422],
    [{ text: 7 }, 422],
    [{}, 422],
    [{ text: "oi", status: 6 }, 422],
    [{ text: "x".repeat(1_100_000) }, 413],
    [{ text: "oi", attachmentId: 999_999 }, 404],
    [{ text: "oi", attachmentId: await imageRow(db, await accountRow(db)) }, 404],
  ];
  for (const [body, status] of refused) {
    const answer = await call<Refusal>("POST", `/api/chats/${chat}/messages`, body);
    expect([answer.status, JSON.stringify(body).slice(0, 40)]).toEqual([
      status,
      JSON.stringify(body).slice(0, 40),
    ]);
  }
  expect(await outbox()).toEqual([]);
  expect((await send(chat, { text: "á".repeat(4_096) })).status).toBe(201);
  expect((await send(chat, { text: "", attachmentId })).body).toMatchObject({
    kind: "image",
    attachment: { id: attachmentId },
    text: "",
  });
});

test.each([
  ["T07", "{{nome}} <%= x %> #{x} {nome}"],
  ["T08", "<script>alert(1)</script>"],
  ["T09", "'; DROP TABLE chat; --"],
  ["T11", "👨‍👩‍👧‍👦 Z̸͖̈ḁ̷̍l̶̰͠g̴̭̾o̴"],
])("%s %s is text and nothing else", async (_, text) => {
  const { account, connectionId, send, messages } = await arrange();
  const chat = await chatRow(db, { account, connectionId, phone: ANA });
  await send(chat, { text });
  expect((await messages(chat)).messages.map((one) => one.text)).toEqual([text.normalize("NFC")]);
});

test("the same key is the same message, another text under it is refused", async () => {
  const { account, connectionId, send, outbox, call } = await arrange();
  const chat = await chatRow(db, { account, connectionId, phone: ANA });
  const other = await chatRow(db, { account, connectionId, phone: ANA + 1 });
  const key = { idempotencyKey: "k1" };
  const first = await send(chat, { text: "oi", ...key });
  await sql`update chat set unread = 1, last_at = clock_timestamp(), last_text = 'E o prazo?', last_from_me = false
    where id = ${chat}`.execute(db);
  expect((await send(chat, { text: "oi", ...key })).body).toEqual(first.body);
  const { body: shown } = await call<ShownChat>("GET", `/api/chats/${chat}`);
  expect(shown).toMatchObject({ unread: 1, last: { text: "E o prazo?", fromMe: false } });
  expect((await send(chat, { text: "outra", ...key })).status).toBe(409);
  expect((await send(other, { text: "oi", ...key })).status).toBe(409);
  expect(await outbox()).toHaveLength(1);
});

test("a caller's key that resembles ours does not block another message's retry", async () => {
  const { account, connectionId, call, send } = await arrange();
  const chat = await chatRow(db, { account, connectionId, phone: ANA });
  const failed = await sentRow(db, chat, { text: "falhou", status: 5 });
  const key = { idempotencyKey: `chat_retry:${failed}` };
  const first = await send(chat, { text: "oi", ...key });
  expect(first.status).toBe(201);
  const again = await call<ShownMessage>("POST", `/api/chats/${chat}/messages/${failed}/retry`, {});
  expect(again).toMatchObject({ status: 201, body: { text: "falhou" } });
  expect((await send(chat, { text: "oi", ...key })).body).toEqual(first.body);
});

test("a failed message is retried once as a new one; a doubtful one only on request", async () => {
  const { account, connectionId, call, outbox } = await arrange();
  const chat = await chatRow(db, { account, connectionId, phone: ANA });
  const other = await chatRow(db, { account, connectionId, phone: ANA + 1 });
  const retry = (id: number, row: number, body = {}) =>
    call<ShownMessage & Refusal>("POST", `/api/chats/${id}/messages/${row}/retry`, body);
  const failed = await sentRow(db, chat, { text: "falhou", status: 5 });
  const doubt = await sentRow(db, chat, { text: "dúvida", status: 4 });
  const fine = await sentRow(db, chat, { text: "chegou", status: 7 });
  expect(await retry(other, failed)).toMatchObject({ status: 404 });
  expect(await retry(chat, fine)).toMatchObject({ status: 409, body: { code: "chat_message_not_failed" } });
  expect(await retry(chat, doubt)).toMatchObject({ status: 409, body: { code: "chat_message_doubtful" } });
  const again = await retry(chat, failed);
  expect(again).toMatchObject({ status: 201, body: { text: "falhou", status: "pending" } });
  expect((await retry(chat, failed)).body.key).toBe(again.body.key);
  expect(await retry(chat, doubt, { evenSo: true })).toMatchObject({ status: 201, body: { text: "dúvida" } });
  expect((await outbox()).map(({ text }) => text)).toEqual([
    "falhou",
    "dúvida",
    "chegou",
    "falhou",
    "dúvida",
  ]);
});

test("why a message failed is said in words, where it is doubtful as well", async () => {
  const { account, connectionId, messages } = await arrange();
  const chat = await chatRow(db, { account, connectionId, phone: ANA });
  await sentRow(db, chat, { text: "1", status: 5, error: "not_on_whatsapp", at: new Date(1) });
  await sentRow(db, chat, { text: "2", status: 4, at: new Date(2) });
  await sentRow(db, chat, { text: "3", status: 2, error: "wa_500", at: new Date(3) });
  const seen = (await messages(chat)).messages.map(({ status, error }) => [
    status,
    error?.code,
    Boolean(error?.text),
  ]);
  expect(seen).toEqual([
    ["error", "not_on_whatsapp", true],
    ["uncertain", "no_ack", true],
    ["pending", undefined, false],
  ]);
});

test("the assistant is silent after a person's answer, can be switched off and on again", async () => {
  const { account, connectionId, call, send, humans, assistant } = await arrange();
  const chat = await chatRow(db, { account, connectionId, phone: ANA });
  const group = await chatRow(db, { account, connectionId, kind: "group", jid: "1203@g.us" });
  const state = async (id = chat) => (await call<ShownChat>("GET", `/api/chats/${id}`)).body.assistant;
  expect(await state()).toEqual({ state: "none", name: null, pausedUntil: null });
  assistant.link = { name: "Robô", active: false, pauseMinutes: 60 };
  expect(await state()).toMatchObject({ state: "inactive", name: "Robô" });
  assistant.link = { ...assistant.link, active: true };
  expect(await state()).toMatchObject({ state: "on" });
  expect(await state(group)).toMatchObject({ state: "none" });
  humans.length = 0;
  await send(chat, { text: "Oi, aqui é a Ana" });
  const { pausedUntil, ...paused } = await state();
  expect(paused.state).toBe("paused");
  expect(new Date(pausedUntil ?? 0).getTime() - Date.now()).toBeGreaterThan(59 * 60_000);
  expect(humans).toEqual([chat]);
  assistant.link = { ...assistant.link, pauseMinutes: 1 };
  await send(chat, { text: "Mais uma coisa" });
  expect((await state()).pausedUntil).toBe(pausedUntil);
  const switched = async (on: boolean) =>
    (await call<ShownChat>("PATCH", `/api/chats/${chat}`, { assistant: on })).body.assistant.state;
  expect(await switched(false)).toBe("off");
  expect(await switched(true)).toBe("on");
  assistant.link = null;
});
