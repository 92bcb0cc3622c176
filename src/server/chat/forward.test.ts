import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import { expect, test } from "vitest";
import { imageRow } from "../../../tests/support/campaign-rows.ts";
import { ANA, chatLab, type Refusal, type ShownMessage } from "../../../tests/support/chat-lab.ts";
import { chatRow, messageRow, sentRow } from "../../../tests/support/chat-rows.ts";
import { testDatabase } from "../../../tests/support/database.ts";
import type { AttachmentKind } from "../../domain/attachment.ts";
import type { MessageKind } from "../../domain/chat.ts";
import { DELIVERY } from "../../domain/delivery.ts";
import type { ReceivedState } from "../../domain/received-file.ts";

const { db } = await testDatabase();
const lab = chatLab(db);

async function arrange() {
  const it = await lab();
  const { account, connectionId } = it;
  const from = await chatRow(db, { account, connectionId, phone: ANA });
  const to = await chatRow(db, { account, connectionId, phone: ANA + 1 });
  const file = async (kind: AttachmentKind, name = "") => {
    const id = await imageRow(db, account);
    await sql`update attachment set kind = ${kind}, name = ${name} where id = ${id}`.execute(db);
    return id;
  };
  const received = async (kind: MessageKind, text: string, attachmentId: number | null = null) => {
    const id = await messageRow(db, from, { text });
    await sql`update chat_message set kind = ${kind}, attachment_id = ${attachmentId} where id = ${id}`.execute(
      db,
    );
    return id;
  };
  const said = (message: number, state: ReceivedState, kind: AttachmentKind, name = "") =>
    sql`insert into received_file (message_id, account_id, connection_id, state, kind, name, mime, at)
      values (${message}, ${account}::uuid, ${connectionId}, ${state}, ${kind}, ${name}, '', now())`.execute(
      db,
    );
  const forward = (key: string, body: object = { chatId: to }) =>
    it.call<ShownMessage & Refusal>("POST", `/api/chats/${from}/messages/${key}/forward`, body);
  return { ...it, from, to, file, received, said, forward };
}

test("received and sent files go on as they are: voice stays voice, a document keeps its name, a caption goes along", async () => {
  const { from, to, file, received, said, forward, outbox, list } = await arrange();
  const [photo, voice, document] = [
    await file("image"),
    await file("voice"),
    await file("document", "nota.pdf"),
  ];
  const keys = [await received("image", "olha", photo), await received("audio", "", voice)];
  const named = await received("document", "nota.pdf", document);
  await said(named, "here", "document", "nota.pdf");
  for (const id of [...keys, named]) expect((await forward(`m${id}`)).status).toBe(201);
  const sent = await sentRow(db, from, { text: "a tabela", status: DELIVERY.sent });
  await sql`update outbox set attachment_id = ${document} where id = ${sent}`.execute(db);
  const { body } = await forward(`o${sent}`);
  expect(body).toMatchObject({
    text: "a tabela",
    status: "pending",
    attachment: { id: document, kind: "document", name: "nota.pdf" },
  });
  const other = String(ANA + 1);
  const went = (await outbox()).filter(({ phone }) => phone === other);
  expect(went.map(({ text, image }) => [text, image])).toEqual([
    ["olha", photo],
    ["", voice],
    ["", document],
    ["a tabela", document],
  ]);
  expect((await list()).chats.find(({ id }) => id === to)?.last.kind).toBe("document");
});

test("a text goes on as it is, once under one key", async () => {
  const { to, received, forward, outbox } = await arrange();
  const key = `m${await received("text", "fecha às *18h*")}`;
  const body = { chatId: to, idempotencyKey: "k1" };
  const [first, again] = [await forward(key, body), await forward(key, body)];
  expect([first.status, again.status, again.body.key]).toEqual([201, 201, first.body.key]);
  expect((await outbox()).map(({ text }) => text)).toEqual(["fecha às *18h*"]);
});

test.each(["expired", "failed", "gone", "coming", "too_large"] as const)(
  "a received file that is %s is refused in words, and nothing is sent",
  async (state) => {
    const { received, said, forward, outbox } = await arrange();
    const id = await received("image", "com legenda");
    await said(id, state, "image");
    const { status, body } = await forward(`m${id}`);
    expect([status, body.code]).toEqual([409, "received_file_absent"]);
    expect(await outbox()).toEqual([]);
  },
);

test("a file whose bytes are lost is refused: a received one may be fetched again, ours not", async () => {
  const { from, file, received, said, forward, outbox } = await arrange();
  const lost = await file("image");
  await sql`update attachment set bytes = null, stored_as = ${randomUUID()} where id = ${lost}`.execute(db);
  const id = await received("image", "", lost);
  await said(id, "here", "image");
  expect((await forward(`m${id}`)).body.code).toBe("received_file_absent");
  const sent = await sentRow(db, from, { text: "", status: DELIVERY.sent });
  await sql`update outbox set attachment_id = ${lost} where id = ${sent}`.execute(db);
  expect((await forward(`o${sent}`)).body.code).toBe("attachment_lost");
  expect(await outbox()).toHaveLength(1);
});

test("stickers, places, cards and empty messages are refused, and so is a chat or message of elsewhere", async () => {
  const { account, connectionId, to, file, received, forward, outbox } = await arrange();
  const sticker = await received("sticker", "", await file("sticker"));
  const place = await received("location", "Praça da Sé");
  const card = await received("contact", "Ana");
  for (const id of [sticker, place, card])
    expect((await forward(`m${id}`)).body.code).toBe("message_not_forwardable");
  const elsewhere = await chatRow(db, { account, connectionId, phone: ANA + 2 });
  const alien = await messageRow(db, elsewhere, { text: "alheia" });
  expect((await forward(`m${alien}`)).status).toBe(404);
  const text = await received("text", "oi");
  const { status, body } = await forward(`m${text}`, { chatId: to + 1_000 });
  expect([status, body]).toMatchObject([404, { code: "not_found", details: { field: "chatId" } }]);
  expect(await outbox()).toEqual([]);
});
