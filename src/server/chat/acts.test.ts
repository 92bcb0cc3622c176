import { sql } from "kysely";
import { expect, test } from "vitest";
import { chatLab, type Refusal, type ShownMessage } from "../../../tests/support/chat-lab.ts";
import { chatRow, messageRow, sentRow } from "../../../tests/support/chat-rows.ts";
import { testDatabase } from "../../../tests/support/database.ts";
import { DELIVERY } from "../../domain/delivery.ts";
import { moveOutbox } from "../sending/outbox/outbox-settle.ts";

const { db } = await testDatabase();
const lab = chatLab(db);
const PHONE = 5_511_987_654_321;

async function arrange() {
  const it = await lab();
  const chat = await chatRow(db, { account: it.account, connectionId: it.connectionId, phone: PHONE });
  const react = (key: string, emoji: string) =>
    it.call<ShownMessage & Refusal>("PUT", `/api/chats/${chat}/messages/${key}/reaction`, { emoji });
  const remove = (key: string) =>
    it.call<ShownMessage & Refusal>("DELETE", `/api/chats/${chat}/messages/${key}`);
  const acts = async () =>
    (
      await sql<{ id: number; action: string; text: string; about: unknown }>`
        select id, action, text, about from outbox where account_id = ${it.account}::uuid and action is not null order by id`.execute(
        db,
      )
    ).rows;
  const end = async (status: number, error: string | null = null) => {
    const last = (await acts()).at(-1);
    await moveOutbox(db, { id: last?.id ?? 0, to: status, at: new Date(), error });
  };
  return { ...it, chat, react, remove, acts, end, page: async () => (await it.messages(chat)).messages };
}

test("a reaction goes out as the lane's message, shows its state, and is no message of the chat", async () => {
  const { chat, react, acts, end, page, list } = await arrange();
  const id = await messageRow(db, chat, { text: "oi", providerId: "3A1" });
  const made = await react(`m${id}`, "👍");
  const [act] = await acts();
  expect(act).toMatchObject({
    action: "react",
    text: "👍",
    about: { id: "3A1", fromMe: false, participant: null, text: "oi" },
  });
  const pending = { emoji: "👍", fromMe: true, who: null, act: { status: "pending", error: null } };
  expect(made.body.reactions).toEqual([pending]);
  expect(await page()).toMatchObject([{ text: "oi", reactions: [pending] }]);
  expect((await list()).chats[0]?.last.fromMe).toBe(false);
  await end(DELIVERY.sent);
  expect((await page())[0]?.reactions).toEqual([{ ...pending, act: null }]);
  await react(`m${id}`, "❤️");
  await end(DELIVERY.error, "not_on_whatsapp");
  expect((await page())[0]?.reactions).toMatchObject([
    { emoji: "❤️", act: { status: "error", error: { code: "not_on_whatsapp" } } },
  ]);
  await react(`m${id}`, "");
  await end(DELIVERY.uncertain);
  expect((await page())[0]?.reactions).toMatchObject([{ emoji: "", act: { status: "uncertain" } }]);
  await react(`m${id}`, "");
  await end(DELIVERY.sent);
  expect((await page())[0]?.reactions).toEqual([]);
});

test("what we sent is deleted once, by the id WhatsApp knows; if it fails it stays and may be asked again", async () => {
  const { chat, remove, acts, end, page } = await arrange();
  const id = await sentRow(db, chat, { text: "errada", status: DELIVERY.sent });
  await sql`update outbox set message_id = '3EB0OURS' where id = ${id}`.execute(db);
  const made = await remove(`o${id}`);
  expect(made.body).toMatchObject({ deletedBy: null, deleting: { status: "pending" } });
  await remove(`o${id}`);
  expect(await acts()).toMatchObject([{ action: "delete", about: { id: "3EB0OURS", fromMe: true } }]);
  await end(DELIVERY.error, "wa_500");
  expect(await page()).toMatchObject([{ text: "errada", deletedBy: null, deleting: { status: "error" } }]);
  await remove(`o${id}`);
  await end(DELIVERY.sent);
  expect(await page()).toMatchObject([{ text: "errada", deletedBy: "writer", deleting: null }]);
  await remove(`o${id}`);
  expect(await acts()).toHaveLength(2);
});

test("nothing is done to others' words, to what is on its way, to what is old, or to a message elsewhere", async () => {
  const { chat, react, remove, acts, account, connectionId } = await arrange();
  const theirs = await messageRow(db, chat, { text: "deles" });
  const waiting = await sentRow(db, chat, { text: "espera", status: DELIVERY.pending });
  const hours = (n: number) => new Date(Date.now() - n * 3_600_000);
  const old = await sentRow(db, chat, { text: "antiga", status: DELIVERY.sent, at: hours(61) });
  const other = await chatRow(db, { account, connectionId, phone: PHONE + 1 });
  const elsewhere = await messageRow(db, other, { text: "alheia" });
  const code = async (call: Promise<{ status: number; body: Refusal }>) => (await call).body.code;
  expect(await code(remove(`m${theirs}`))).toBe("message_not_ours");
  expect(await code(remove(`o${waiting}`))).toBe("message_not_at_whatsapp");
  expect(await code(react(`o${waiting}`, "👍"))).toBe("message_not_at_whatsapp");
  expect(await code(remove(`o${old}`))).toBe("message_too_old_to_delete");
  expect(await code(react(`m${elsewhere}`, "👍"))).toBe("not_found");
  expect((await react(`m${theirs}`, "olá")).status).toBe(422);
  expect((await react("m", "👍")).status).toBe(404);
  expect(await acts()).toEqual([]);
});

test("an answer quotes a message of its chat, and the same key with another quote is another message", async () => {
  const { chat, send, page } = await arrange();
  const id = await messageRow(db, chat, { text: "fecha às 18h?", providerId: "3A1" });
  const body = { text: "sim", quotedKey: `m${id}`, idempotencyKey: "k1" };
  expect((await send(chat, body)).body.quoted).toMatchObject({ key: `m${id}`, text: "fecha às 18h?" });
  expect((await send(chat, body)).status).toBe(201);
  expect((await send(chat, { ...body, quotedKey: undefined })).body).toMatchObject({
    code: "idempotency_mismatch",
  });
  expect((await send(chat, { text: "sim", quotedKey: "m999999" })).status).toBe(404);
  const { rows } = await sql`select about from outbox where about_key = ${`m${id}`}`.execute(db);
  expect(rows).toEqual([{ about: { id: "3A1", fromMe: false, participant: null, text: "fecha às 18h?" } }]);
  const answers = (await page()).filter(({ text }) => text === "sim");
  expect(answers).toMatchObject([{ quoted: { key: `m${id}` }, fromMe: true }]);
});
