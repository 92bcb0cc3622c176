import fc from "fast-check";
import { sql } from "kysely";
import { expect, test } from "vitest";
import type { z } from "zod";
import { testApi } from "../../../tests/support/api.ts";
import {
  accountRow,
  campaignRow,
  connectionRow,
  imageRow,
  listRow,
} from "../../../tests/support/campaign-rows.ts";
import { chatRow, type MessageSketch, messageRow, sentRow } from "../../../tests/support/chat-rows.ts";
import { testDatabase, testLog } from "../../../tests/support/database.ts";
import type { Chat, ChatMessage } from "../../contract/chats.ts";
import { systemClock } from "../clock.ts";
import { fileService } from "../files/service.ts";
import { openGuardedFetch } from "../net/guarded-fetch.ts";
import { type Assistant, noAssistant } from "./assistant.ts";
import { mountChats } from "./routes.ts";
import { chatService } from "./service.ts";

type ShownChat = z.output<typeof Chat>;
type ShownMessage = z.output<typeof ChatMessage>;
type List = { chats: ShownChat[]; next: string | null; unread: number };
type Messages = { messages: ShownMessage[]; older: string | null };
type Refusal = { code: string; fields?: Record<string, string> };

const { db } = await testDatabase();
let link: Awaited<ReturnType<Assistant["linkedTo"]>> = null;
const humans: number[] = [];
const marks: string[] = [];
const api = testApi(db, (app) =>
  mountChats(
    app,
    chatService({
      clock: systemClock,
      log: testLog,
      changes: { mark: (_, topic, id) => void marks.push(`${topic} ${id}`) },
      files: fileService({ guardedFetch: openGuardedFetch({ privateHosts: new Set() }) }),
      assistant: {
        ...noAssistant,
        linkedTo: async () => link,
        onHuman: async (_, chatId) => void humans.push(chatId),
      },
    }),
  ),
);
const ANA = 5_511_987_654_321;

async function arrange() {
  const account = await accountRow(db);
  const connectionId = await connectionRow(db, account);
  const call = api(account);
  const list = async (query = "") =>
    (await call<List>("GET", `/api/chats?connectionId=${connectionId}${query}`)).body;
  const messages = async (chat: number, older?: string | null) =>
    (await call<Messages>("GET", `/api/chats/${chat}/messages${older ? `?older=${older}` : ""}`)).body;
  const send = (chat: number, body: unknown) =>
    call<ShownMessage>("POST", `/api/chats/${chat}/messages`, body);
  const outbox = async () =>
    (
      await sql<{
        phone: string | null;
        jid: string | null;
        text: string;
        origin: string;
        image: number | null;
      }>`
      select phone::text as phone, jid, text, origin, image_id as image from outbox where account_id = ${account}::uuid order by id`.execute(
        db,
      )
    ).rows;
  return { account, connectionId, call, list, messages, send, outbox };
}

test("the list is ordered by the last message, page by page, each chat once", async () => {
  const { account, connectionId, list } = await arrange();
  for (let i = 0; i < 120; i++)
    // Several at the very same instant.
    await chatRow(db, {
      account,
      connectionId,
      phone: ANA + i,
      lastAt: new Date(1_700_000_000_000 + Math.floor(i / 7)),
    });
  const first = await list();
  const second = await list(`&cursor=${first.next}`);
  const third = await list(`&cursor=${second.next}`);
  expect([first.chats.length, second.chats.length, third.chats.length]).toEqual([50, 50, 20]);
  expect(third.next).toBeNull();
  const all = [...first.chats, ...second.chats, ...third.chats];
  expect(new Set(all.map(({ id }) => id)).size).toBe(120);
  expect(all.map(({ last }) => last.at)).toEqual(
    all
      .map(({ last }) => last.at)
      .toSorted()
      .reverse(),
  );
});

test("a saved contact's name wins over the push name, that over the number; a group is called by its id", async () => {
  const { account, connectionId, list } = await arrange();
  await listRow(db, account, 1); // «Pessoa 0» 5511900000000
  await chatRow(db, { account, connectionId, phone: 5_511_900_000_000, pushName: "Zé", unread: 2 });
  await chatRow(db, { account, connectionId, phone: ANA, pushName: "Bia", unread: 3 });
  await chatRow(db, { account, connectionId, phone: ANA + 1 });
  await chatRow(db, { account, connectionId, lid: "70000000000001@lid" });
  await chatRow(db, {
    account,
    connectionId,
    jid: "120363000000000000@g.us",
    kind: "group",
    pushName: "Carla",
  });
  const { chats, unread } = await list();
  expect(chats.map(({ name, savedName, pushName }) => [name, savedName, pushName]).toSorted()).toEqual([
    ["120363000000000000@g.us", null, null],
    ["5511987654322", null, null],
    ["70000000000001@lid", null, null],
    ["Bia", null, "Bia"],
    ["Pessoa 0", "Pessoa 0", "Zé"],
  ]);
  expect(unread).toBe(5);
});

test("search finds names without accents, parts of numbers and words of messages, and nothing of other connections", async () => {
  const { account, connectionId, list } = await arrange();
  const other = await connectionRow(db, account);
  await listRow(db, account, 2);
  const saved = await chatRow(db, { account, connectionId, phone: 5_511_900_000_001, pushName: "x" });
  const named = await chatRow(db, { account, connectionId, phone: ANA, pushName: "José Antônio" });
  const group = await chatRow(db, { account, connectionId, kind: "group", jid: "120363999999999999@g.us" });
  await messageRow(db, named, { text: "Qual o preço das ÓCULOS-de-sol? (2ª via)" });
  await messageRow(db, await chatRow(db, { account, connectionId: other, phone: ANA + 7 }), {
    text: "preço c",
  });
  const found = async (words: string) =>
    (await list(`&search=${encodeURIComponent(words)}`)).chats.map(({ id }) => id).toSorted();
  expect(await found("jose anto")).toEqual([named]);
  expect(await found("pessoa 1")).toEqual([saved]);
  expect(await found("98765-4321")).toEqual([named]);
  expect(await found("9999999999")).toEqual([group]);
  expect(await found("PRECO oculos")).toEqual([named]);
  expect(await found("preço sol")).toEqual([named]);
  expect(await found("preço ausente")).toEqual([]);
  for (const odd of ["'", "& |", "²", "a:*b", "%", "\\", "🐝", "(", "c1"])
    expect(await found(odd), odd).toEqual([]);
  expect((await list("&search=%20%20")).chats).toHaveLength(3);
});

test("whatever is searched for, there is an answer", async () => {
  const { account, connectionId, call } = await arrange();
  await messageRow(db, await chatRow(db, { account, connectionId, phone: ANA, pushName: "Ana" }));
  const odd = fc.oneof(
    fc.string({ unit: "grapheme", maxLength: 40 }),
    fc.string({ unit: "binary", maxLength: 40 }),
    fc.stringMatching(/^[&|!:*()'\\<>c1 -]{1,20}$/),
  );
  await fc.assert(
    fc.asyncProperty(odd, async (words) => {
      const search = encodeURIComponent(words.toWellFormed());
      const { status } = await call("GET", `/api/chats?connectionId=${connectionId}&search=${search}`);
      expect(status).toBe(words.toWellFormed().includes("\0") ? 400 : 200);
    }),
    { numRuns: 300 },
  );
});

test("a chat is campaigns, what was sent and what came, in their order, 100 a page, none twice and none missing", async () => {
  const { account, connectionId, messages } = await arrange();
  const phone = 5_511_900_000_000; // the campaign's first person
  const chat = await chatRow(db, {
    account,
    connectionId,
    phone,
    jid: `${phone}@s.whatsapp.net`,
    lid: "71@lid",
  });
  await campaignRow(db, account, { connectionId, people: { read: 1 }, name: "Primavera" });
  const at = (n: number) => new Date(1_700_000_000_000 + Math.floor(n / 5) * 1_000);
  for (let i = 0; i < 130; i++) await messageRow(db, chat, { text: `m${i}`, at: at(i) });
  for (let i = 0; i < 60; i++) await sentRow(db, chat, { text: `o${i}`, at: at(i), status: 7 });
  for (let i = 0; i < 60; i++)
    await sentRow(db, chat, { text: `j${i}`, at: at(i), status: 7, byAddress: "71@lid" });
  const pages: ShownMessage[][] = [];
  for (let older: string | null | undefined; older !== null; ) {
    const page = await messages(chat, older);
    pages.unshift(page.messages);
    older = page.older;
  }
  expect(pages.map((page) => page.length)).toEqual([51, 100, 100]);
  const all = pages.flat();
  expect(new Set(all.map(({ key }) => key)).size).toBe(251);
  expect(all.map((one) => one.at)).toEqual(all.map((one) => one.at).toSorted());
  expect(all.at(-1)).toMatchObject({
    source: "campaign",
    text: "Oi, Pessoa 0!",
    status: "read",
    fromMe: true,
    campaign: { name: "Primavera" },
  });
});

test("of ourselves: what a gateway told back of our own is left out, what the phone and others wrote is shown", async () => {
  const { account, connectionId, messages } = await arrange();
  const chat = await chatRow(db, { account, connectionId, phone: ANA });
  const rows: MessageSketch[] = [
    { text: "pergunta" },
    { text: "do celular", fromMe: true, status: 8 },
    { text: "de outro programa", fromMe: true, viaApi: true },
    { text: "nossa", fromMe: true, viaApi: true, providerId: "OURS" },
    // Somebody else's message with the id of one of ours stays theirs.
    { text: "com o mesmo id", providerId: "THEIRS" },
  ];
  for (const row of rows) await messageRow(db, chat, row);
  const outboxId = (await sentRow(db, chat, { text: "nossa", status: 6 })) as number;
  for (const id of ["OURS", "THEIRS"])
    await sql`insert into provider_message (connection_id, provider_id, outbox_id)
      values (${connectionId}, ${id}, ${id === "OURS" ? outboxId : outboxId + 1_000_000})`.execute(db);
  const seen = (await messages(chat)).messages.map(
    ({ text, source, status }) => `${source}: ${text} ${status}`,
  );
  expect(seen.toSorted()).toEqual([
    "chat: nossa sent",
    "contact: com o mesmo id null",
    "contact: pergunta null",
    "gateway: de outro programa null",
    "phone: do celular read",
  ]);
});

test("a message goes into the outbox for the phone, a group's or a hidden person's for the address", async () => {
  const { account, connectionId, list, send, outbox } = await arrange();
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

test("T01–T06 T10 texts: limits, blank, unreadable; nothing is stored of a refused one", async () => {
  const { account, connectionId, call, send, outbox } = await arrange();
  const chat = await chatRow(db, { account, connectionId, phone: ANA });
  const imageId = await imageRow(db, account);
  const refused: [unknown, number][] = [
    [{ text: "a".repeat(4_097) }, 422],
    [{ text: "a".repeat(1_025), imageId }, 422],
    [{ text: "   \n\t" }, 422],
    [{ text: "\u200b\u200d\ufeff" }, 422],
    [{ text: "\ud800" }, 422],
    [{ text: "a\0b" }, 422],
    [{ text: 7 }, 422],
    [{}, 422],
    [{ text: "oi", status: 6 }, 422],
    [{ text: "x".repeat(1_100_000) }, 413],
    [{ text: "oi", imageId: 999_999 }, 404],
    [{ text: "oi", imageId: await imageRow(db, await accountRow(db)) }, 404],
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
  expect((await send(chat, { text: "", imageId })).body).toMatchObject({ kind: "image", imageId, text: "" });
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
  const { account, connectionId, send, outbox } = await arrange();
  const chat = await chatRow(db, { account, connectionId, phone: ANA });
  const other = await chatRow(db, { account, connectionId, phone: ANA + 1 });
  const key = { idempotencyKey: "k1" };
  const first = await send(chat, { text: "oi", ...key });
  expect((await send(chat, { text: "oi", ...key })).body).toEqual(first.body);
  expect((await send(chat, { text: "outra", ...key })).status).toBe(409);
  expect((await send(other, { text: "oi", ...key })).status).toBe(409);
  expect(await outbox()).toHaveLength(1);
});

test("a failed message is sent once more as a new one, once; a doubtful one only when somebody says so", async () => {
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
  const { account, connectionId, call, send } = await arrange();
  const chat = await chatRow(db, { account, connectionId, phone: ANA });
  const group = await chatRow(db, { account, connectionId, kind: "group", jid: "1203@g.us" });
  const state = async (id = chat) => (await call<ShownChat>("GET", `/api/chats/${id}`)).body.assistant;
  expect(await state()).toEqual({ state: "none", name: null, pausedUntil: null });
  link = { name: "Robô", active: false, pauseMinutes: 60 };
  expect(await state()).toMatchObject({ state: "inactive", name: "Robô" });
  link = { ...link, active: true };
  expect(await state()).toMatchObject({ state: "on" });
  expect(await state(group)).toMatchObject({ state: "none" });
  humans.length = 0;
  await send(chat, { text: "Oi, aqui é a Ana" });
  const { pausedUntil, ...paused } = await state();
  expect(paused.state).toBe("paused");
  expect(new Date(pausedUntil ?? 0).getTime() - Date.now()).toBeGreaterThan(59 * 60_000);
  expect(humans).toEqual([chat]);
  const switched = async (on: boolean) =>
    (await call<ShownChat>("PATCH", `/api/chats/${chat}`, { assistant: on })).body.assistant.state;
  expect(await switched(false)).toBe("off");
  expect(await switched(true)).toBe("on");
  link = null;
});

test("what an assistant wrote is the chat's last message although nobody sent it here", async () => {
  const { account, connectionId, list } = await arrange();
  const chat = await chatRow(db, {
    account,
    connectionId,
    phone: ANA,
    lastAt: new Date(Date.now() - 60_000),
  });
  await sentRow(db, chat, { text: "Posso ajudar?", status: 6, origin: "agent" });
  expect((await list()).chats[0]?.last).toMatchObject({ text: "Posso ajudar?", fromMe: true, kind: "text" });
});

test("reading a chat leaves nothing unread", async () => {
  const { account, connectionId, call, list } = await arrange();
  const chat = await chatRow(db, { account, connectionId, phone: ANA, unread: 4 });
  expect((await list()).unread).toBe(4);
  expect((await call<ShownChat>("POST", `/api/chats/${chat}/read`)).body.unread).toBe(0);
  expect((await list()).unread).toBe(0);
});

test("cursors of other makes are refused", async () => {
  const { account, connectionId, call } = await arrange();
  const chat = await chatRow(db, { account, connectionId, phone: ANA });
  for (const odd of ["x", "1", "1.1.1", "-1.2", "99999999999999999.1x", "1.x.1.1", "%00"]) {
    for (const path of [
      `/api/chats?connectionId=${connectionId}&cursor=${odd}`,
      `/api/chats/${chat}/messages?older=${odd}`,
    ])
      expect([path, (await call("GET", path)).status]).toEqual([path, 400]);
  }
  for (const far of ["99999999999999999.999999999999999", "0.0"])
    expect((await call("GET", `/api/chats?connectionId=${connectionId}&cursor=${far}`)).status).toBe(200);
  expect((await call("GET", `/api/chats/${chat}/messages?older=99999999999999999.m.1.0`)).status).toBe(200);
});
