import { sql } from "kysely";
import { expect, test } from "vitest";
import { chatLab, type Refusal, type ShownMessage } from "../../../tests/support/chat-lab.ts";
import { chatRow, messageRow } from "../../../tests/support/chat-rows.ts";
import { testDatabase } from "../../../tests/support/database.ts";
import { lookForWork } from "../sending/lane/campaign-states.ts";
import { claimOutbox } from "../sending/outbox/outbox.ts";

const { db, database } = await testDatabase();
const lab = chatLab(db);
const in2Hours = () => new Date(Date.now() + 2 * 3_600_000);

async function arrange() {
  const it = await lab();
  const place = { account: it.account, connectionId: it.connectionId };
  const chat = await chatRow(db, { ...place, phone: 5_511_987_654_321, lastAt: new Date(0) });
  await messageRow(db, chat, { text: "oi", at: new Date(Date.now() - 1_000) });
  const claim = () => claimOutbox(db, { connectionId: it.connectionId, fence: 0 }, 5, true);
  const hasWork = async () => (await lookForWork(database.prepared, it.connectionId)).direct;
  const comes = (id: number) =>
    sql`update outbox set send_at = now(), created_at = now() where id = ${id}`.execute(db);
  const cancel = (id: number) => it.call<Refusal>("POST", `/api/chats/${chat}/messages/${id}/cancel`);
  return { ...it, chat, claim, hasWork, comes, cancel };
}

test("a message for later waits for its time in the log, is not the chat's last one, and leaves when it comes", async () => {
  const { chat, send, claim, hasWork, comes, messages, list } = await arrange();
  const at = in2Hours().toISOString();
  const made = (await send(chat, { text: "amanhã abrimos", sendAt: at })).body;
  expect(made).toMatchObject({ status: "pending", scheduled: true, at });
  await send(chat, { text: "até já" });
  expect((await claim())?.map(({ text }) => text)).toEqual(["até já"]);
  expect(await hasWork()).toBe(false);
  expect((await messages(chat)).messages.map(({ text }) => text)).toEqual(["oi", "até já", "amanhã abrimos"]);
  expect((await list()).chats[0]?.last.text).toBe("até já");
  await comes(made.outboxId ?? 0);
  expect(await hasWork()).toBe(true);
  expect((await claim())?.map(({ text }) => text)).toEqual(["amanhã abrimos"]);
  expect((await messages(chat)).messages.at(-1)).toMatchObject({ status: "sending", scheduled: false });
});

test("it can be cancelled until it is on its way, and no time that has passed is taken", async () => {
  const { chat, send, claim, comes, cancel, messages, outbox } = await arrange();
  const later = async () =>
    (await send(chat, { text: "depois", sendAt: in2Hours().toISOString() })).body.outboxId ?? 0;
  expect((await cancel(await later())).status).toBe(200);
  expect(await outbox()).toEqual([]);
  const late = await later();
  await comes(late);
  await claim();
  expect(await cancel(late)).toMatchObject({ status: 409, body: { code: "chat_message_not_scheduled" } });
  const plain = (await send(chat, { text: "já" })).body.outboxId ?? 0;
  expect((await cancel(plain)).status).toBe(409);
  for (const ms of [-60_000, 400 * 24 * 3_600_000]) {
    const sendAt = new Date(Date.now() + ms).toISOString();
    expect((await send(chat, { text: "x", sendAt })).body as ShownMessage & Refusal).toMatchObject({
      fields: { sendAt: expect.any(String) },
    });
  }
  expect((await messages(chat)).messages.map(({ text }) => text)).toEqual(["oi", "depois", "já"]);
});
