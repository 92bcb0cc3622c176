import { randomBytes } from "node:crypto";
import sharp from "sharp";
import { expect, test } from "vitest";
import type { Control } from "../simulators/whatsapp/control-answers.ts";
import type { Chat, ChatMessage } from "../src/contract/chats.ts";
import { composedApp } from "./support/composed-app.ts";
import { testDatabase } from "./support/database.ts";
import { testSimulator } from "./support/simulator.ts";

const PHONE = "5511987650001";
const MARIA = "5531987650002";
const JOAO = "5531987650003";

const database = await testDatabase();
const simulator = testSimulator();
const { app, signUp } = await composedApp(database);
const ana = await signUp("ana");

async function call<T>(method: string, path: string, body?: unknown): Promise<T> {
  const headers = {
    cookie: ana.cookie,
    ...(body === undefined ? {} : { "content-type": "application/json" }),
  };
  const answer = await app.hono.request(path, {
    method,
    headers,
    body: body === undefined ? null : JSON.stringify(body),
  });
  return (await answer.json()) as T;
}
const WAIT = { interval: 50 };

async function link(whatsapp: Control): Promise<number> {
  await call("POST", "/api/whatsapp/connect", { deviceId: PHONE });
  let qr = "";
  await expect
    .poll(async () => {
      qr = (await call<{ qr?: string }>("GET", `/api/whatsapp/qr/${PHONE}`)).qr ?? "";
      return qr;
    }, WAIT)
    .not.toBe("");
  await whatsapp.scan({ qr, phone: PHONE });
  await expect
    .poll(async () => (await call<{ status: string }>("GET", `/api/whatsapp/status/${PHONE}`)).status, WAIT)
    .toBe("connected");
  const { connections } = await call<{ connections: { id: number }[] }>("GET", "/api/connections");
  return connections[0]?.id ?? 0;
}

test("a conversation over a device: written, answered here and on the phone, left; the ticks, the picture, the names", async () => {
  const whatsapp = simulator.control;
  const connectionId = await link(whatsapp);
  const chats = async () =>
    (await call<{ chats: Chat[] }>("GET", `/api/chats?connectionId=${connectionId}`)).chats;
  const messages = async (id: number) =>
    (await call<{ messages: ChatMessage[] }>("GET", `/api/chats/${id}/messages`)).messages;
  const said = async (id: number) =>
    (await messages(id)).map(
      ({ source, text, status }) => `${source}: ${text}${status === null ? "" : ` (${status})`}`,
    );

  await whatsapp.people({
    phones: [MARIA],
    settings: { name: "Maria", deliversAfterMs: 5, readsAfterMs: 10 },
  });
  await whatsapp.write({ from: MARIA, to: PHONE, text: "Têm óculos de sol?" });
  await expect
    .poll(chats, WAIT)
    .toMatchObject([
      { name: "Maria", phone: MARIA, unread: 1, last: { text: "Têm óculos de sol?", fromMe: false } },
    ]);
  const id = (await chats())[0]?.id ?? 0;

  await call("POST", `/api/chats/${id}/messages`, { text: "Temos sim!" });
  const { messages: held } = await whatsapp.messages({ to: MARIA, from: PHONE, atLeast: 1 });
  expect(held.map(({ text }) => text)).toEqual(["Temos sim!"]);
  await expect.poll(() => said(id), WAIT).toEqual(["contact: Têm óculos de sol?", "chat: Temos sim! (read)"]);

  const { id: typed } = await whatsapp.typeOnPhone({ phone: PHONE, to: MARIA, text: "Passe aqui" });
  await whatsapp.receipts({ from: MARIA, to: PHONE, ids: [typed], type: "read" });
  await expect.poll(async () => (await said(id)).at(-1), WAIT).toBe("phone: Passe aqui (read)");

  const picture = await sharp(randomBytes(60 * 40 * 3), { raw: { width: 60, height: 40, channels: 3 } })
    .jpeg()
    .toBuffer();
  await whatsapp.write({ from: MARIA, to: PHONE, text: "destes", imageBase64: picture.toString("base64") });
  await expect.poll(async () => (await messages(id)).at(-1)?.attachment?.id, WAIT).toBeGreaterThan(0);
  const shown = (await messages(id)).at(-1);
  expect(shown).toMatchObject({ kind: "image", text: "destes" });
  const image = await app.hono.request(`/api/attachments/${shown?.attachment?.id}`, { headers: { cookie: ana.cookie } });
  expect(await sharp(await image.arrayBuffer()).metadata()).toMatchObject({ width: 60, height: 40 });

  const { id: read } = await whatsapp.write({ from: MARIA, to: PHONE, text: "Têm?" });
  await expect.poll(async () => (await chats())[0]?.unread, WAIT).toBe(2);
  await whatsapp.readOnPhone({ phone: PHONE, from: MARIA, ids: [read] });
  await expect.poll(async () => (await chats())[0]?.unread, WAIT).toBe(0);

  await whatsapp.people({ phones: [JOAO], settings: { name: "João" } });
  await whatsapp.write({ from: JOAO, to: PHONE, text: "Abrem hoje?" });
  const names = async () => (await chats()).map(({ name, unread }) => `${name} ${unread}`);
  await expect.poll(names, WAIT).toEqual(["João 1", "Maria 0"]);
  const message = { deviceId: PHONE, number: MARIA, message: "Seu pedido saiu" };
  await call("POST", "/api/whatsapp/send", message);
  expect(await names()).toEqual(["Maria 0", "João 1"]);
  expect((await chats())[0]?.last).toMatchObject({ text: "Seu pedido saiu", source: "api" });
  await call("POST", "/api/campaigns/test", { number: JOAO, text: "Só um teste", connectionId });
  expect(await names()).toEqual(["João 1", "Maria 0"]);
  expect((await chats())[0]?.last).toMatchObject({ text: "Só um teste", source: "test" });

  await whatsapp.write({ from: MARIA, to: PHONE, text: "Sair" });
  await expect.poll(async () => (await messages(id)).at(-1)?.source, WAIT).toBe("opt_out");
  expect((await chats())[0]).toMatchObject({ optedOut: true, last: { fromMe: true } });

  await call("POST", `/api/contacts`, { name: "Maria Lima", phone: MARIA });
  expect((await chats())[0]).toMatchObject({
    name: "Maria Lima",
    savedName: "Maria Lima",
    pushName: "Maria",
  });
});
