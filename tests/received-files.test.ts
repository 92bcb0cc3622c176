import { createHash } from "node:crypto";
import { sql } from "kysely";
import { afterAll, expect, test } from "vitest";
import { startEvolution } from "../simulators/evolution/evolution.ts";
import type { Chat, ChatMessage } from "../src/contract/chats.ts";
import type { Gateway, Instance } from "../src/contract/gateways.ts";
import { forgetReceivedFiles } from "../src/server/chat/forget-files.ts";
import { listenHttp } from "../src/server/http/listen.ts";
import { composedApp } from "./support/composed-app.ts";
import { testDatabase } from "./support/database.ts";
import { mp4, oggVoice, pdf } from "./support/media-files.ts";
import { freePort } from "./support/ports.ts";
import { testSimulator } from "./support/simulator.ts";

const PHONE = "5511987650011";
const MARIA = "5531987650012";
const JOAO = "5531987650014";
const WAIT = { interval: 50 };

const database = await testDatabase();
const { db } = database;
const simulator = testSimulator();
const evolution = await startEvolution();
afterAll(() => evolution.close());
const port = await freePort();
const { app, services, signUp } = await composedApp(database, {
  RECADO_PRIVATE_HOSTS: "127.0.0.1",
  RECADO_WEBHOOK_URL: `http://127.0.0.1:${port}`,
});
const http = await listenHttp(app, "127.0.0.1", port);
afterAll(() => http.stop(1_000));
const { cookie } = await signUp("ana");

async function call<T>(method: string, path: string, body?: unknown): Promise<T> {
  const headers = { cookie, ...(body === undefined ? {} : { "content-type": "application/json" }) };
  const text = body === undefined ? null : JSON.stringify(body);
  const answer = await app.hono.request(path, { method, headers, body: text });
  return (await answer.json()) as T;
}

const hashOf = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

async function shownHash({ attachment }: ChatMessage): Promise<string> {
  const answer = await app.hono.request(`/api/attachments/${attachment?.id}`, { headers: { cookie } });
  return hashOf(new Uint8Array(await answer.arrayBuffer()));
}

async function chatOf(connectionId: number): Promise<number> {
  const found = () => call<{ chats: Chat[] }>("GET", `/api/chats?connectionId=${connectionId}`);
  await expect.poll(async () => (await found()).chats.length, WAIT).toBe(1);
  return (await found()).chats[0]?.id ?? 0;
}

const messagesOf = async (chat: number) =>
  (await call<{ messages: ChatMessage[] }>("GET", `/api/chats/${chat}/messages`)).messages;

const statesOf = async (chat: number) =>
  (await messagesOf(chat)).map(
    ({ receivedFile, attachment }) => `${receivedFile?.state} ${attachment?.kind}`,
  );

const again = (chat: number, message: ChatMessage | undefined) =>
  call<ChatMessage>("POST", `/api/chats/${chat}/messages/${message?.receivedFile?.messageId}/file`);

const forgetAll = async () => {
  await sql`update received_file set at = now() - interval '2 days' where state = 'here'`.execute(db);
  await sql`update attachment set created_at = now() - interval '2 days'`.execute(db);
  const { changes, files } = services;
  await forgetReceivedFiles({ db, changes, files, days: 1, clock: { now: () => new Date() } });
};

test("over a device a voice note and a document come by themselves, expire, and are fetched again from the sender's phone; what is here is forwarded", async () => {
  const whatsapp = simulator.control;
  await call("POST", "/api/whatsapp/connect", { deviceId: PHONE });
  const qr = async () => (await call<{ qr?: string }>("GET", `/api/whatsapp/qr/${PHONE}`)).qr ?? "";
  await expect.poll(qr, WAIT).not.toBe("");
  await whatsapp.scan({ qr: await qr(), phone: PHONE });
  const voice = await oggVoice(3);
  const send = (bytes: Buffer, file: object, text?: string) =>
    whatsapp.write({
      from: MARIA,
      to: PHONE,
      file: { base64: bytes.toString("base64"), kind: "audio", mimetype: "audio/ogg", ...file },
      ...(text === undefined ? {} : { text }),
    });
  const first = await send(voice, { ptt: true, seconds: 3 });
  const boleto = { kind: "document", mimetype: "application/pdf", fileName: "boleto.pdf", pages: 1 };
  const second = await send(pdf(), boleto, "o boleto");
  const { connections } = await call<{ connections: { id: number }[] }>("GET", "/api/connections");
  const chat = await chatOf(connections[0]?.id ?? 0);
  await expect.poll(() => statesOf(chat), WAIT).toEqual(["here voice", "here document"]);
  const [note, document] = await messagesOf(chat);
  expect(note).toMatchObject({ kind: "audio", receivedFile: { seconds: 3 } });
  expect(document).toMatchObject({
    text: "o boleto",
    attachment: { name: "boleto.pdf" },
    receivedFile: { pages: 1 },
  });
  expect(note && (await shownHash(note))).toBe(hashOf(voice));

  await forgetAll();
  expect(await statesOf(chat)).toEqual(["expired undefined", "expired undefined"]);
  await whatsapp.removeFile({ id: first.id });
  await whatsapp.removeFile({ id: second.id, phoneKeeps: false });
  expect(await again(chat, note)).toMatchObject({ receivedFile: { state: "coming" } });
  await again(chat, document);
  await expect.poll(() => statesOf(chat), WAIT).toEqual(["here voice", "gone undefined"]);
  const [fetched] = await messagesOf(chat);
  expect(fetched && (await shownHash(fetched))).toBe(hashOf(voice));

  const other = await call<Chat>("POST", "/api/chats", { connectionId: connections[0]?.id, phone: JOAO });
  const forward = (message: ChatMessage | undefined) =>
    call<{ code?: string }>("POST", `/api/chats/${chat}/messages/${message?.key}/forward`, {
      chatId: other.id,
    });
  expect(await forward(document)).toMatchObject({ code: "received_file_absent" });
  await whatsapp.people({ phones: [JOAO], settings: { name: "João" } });
  await forward(note);
  const { messages } = await whatsapp.messages({ to: JOAO, from: PHONE, atLeast: 1 });
  expect(messages).toMatchObject([{ file: { voice: true, sha256: hashOf(voice) } }]);
});

test("over a gateway a file comes with its event or is asked for, and again until the gateway has it no longer", async () => {
  const { id: gatewayId } = await call<Gateway>("POST", "/api/gateways", {
    name: "",
    url: evolution.url,
    apiKey: evolution.apiKey,
  });
  const { connectionId } = await call<Instance>("POST", `/api/gateways/${gatewayId}/instances`, {
    instanceName: "loja",
    token: "segredo-da-loja",
    number: "5511987650013",
    webhook: "",
  });
  await evolution.world.scan("loja", { phone: "5511987650013" });
  const { world } = evolution;
  const film = await mp4({ video: "avc" });
  const video = { kind: "video", bytes: film, mimetype: "video/mp4" } as const;
  const brought = world.reply("loja", MARIA, { media: video });
  world.forgetFile("loja", brought);
  const chat = await chatOf(connectionId ?? 0);
  await expect.poll(() => statesOf(chat), WAIT).toEqual(["here video"]);
  const id = world.reply("loja", MARIA, { media: { ...video, withoutBase64: true } });
  await expect.poll(() => statesOf(chat), WAIT).toEqual(["here video", "here video"]);
  const shown = await messagesOf(chat);
  expect(await Promise.all(shown.map(shownHash))).toEqual([hashOf(film), hashOf(film)]);

  await forgetAll();
  await Promise.all(shown.map((message) => again(chat, message)));
  await expect.poll(() => statesOf(chat), WAIT).toEqual(["gone undefined", "here video"]);
  await forgetAll();
  world.forgetFile("loja", id);
  await again(chat, shown[1]);
  await expect.poll(() => statesOf(chat), WAIT).toEqual(["gone undefined", "gone undefined"]);
});
