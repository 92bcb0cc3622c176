import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { gatewayLab } from "../../tests/support/gateway-lab.ts";

const lab = gatewayLab();
const { start, call, webhook, openLinked, openChannel, sendText } = lab;

type Message = {
  key: { id: string; remoteJid: string };
  message: Record<string, unknown>;
  MessageUpdate: { status: string }[];
};
const find = async (body: object) =>
  (
    (await call("POST", "/chat/findMessages/loja", body)).body as {
      messages: { total: number; pages: number; records: Message[] };
    }
  ).messages;
const upserts = () =>
  lab.receiver.posted.filter(({ body }) => body.event === "messages.upsert").map(({ body }) => body.data);

test("receipts come as a person's phone sends them, and stay with the message", async () => {
  const world = await start();
  await openLinked("loja", webhook({ events: ["MESSAGES_UPDATE"] }));
  world.person({ phone: "5511911110001", serverAckMs: 1, deliveredMs: 2, readMs: 3 });
  world.person({ phone: "5511911110002", deliveredMs: null, readMs: 1 });
  world.person({ phone: "5511911110003", refused: true });
  world.person({ phone: "5511911110004", receiptsAsLid: true, lid: "999" });
  for (const digit of [1, 2, 3, 4]) await sendText("loja", "oi", `551191111000${digit}`);
  await world.idle();
  const statuses = async (phone: string) =>
    (await find({ where: { key: { remoteJid: `${phone}@s.whatsapp.net` } } })).records[0]?.MessageUpdate.map(
      ({ status }) => status,
    );
  expect(await statuses("5511911110001")).toEqual(["SERVER_ACK", "DELIVERY_ACK", "READ"]);
  expect(await statuses("5511911110002")).toEqual([]);
  expect(await statuses("5511911110003")).toEqual(["ERROR"]);
  expect(lab.receiver.posted.map(({ body }) => (body.data as { remoteJid: string }).remoteJid)).toContain(
    "999@lid",
  );
  world.readBy("5511911110002");
  world.readBy("5511911110001");
  await world.idle();
  expect(await statuses("5511911110002")).toEqual(["READ"]);
  expect(lab.receiver.posted.length).toBe(6);
});

test("a gateway loses receipts for good", async () => {
  const world = await start();
  await openLinked("loja", webhook({ events: ["MESSAGES_UPDATE"] }));
  world.behave({ lostUpdates: 1 });
  await sendText("loja", "oi");
  await world.idle();
  expect(lab.receiver.posted).toEqual([]);
  expect((await find({})).records[0]?.MessageUpdate).toEqual([]);
});

test("what was accepted is known with its person, its text and its file", async () => {
  const world = await start();
  await openLinked("loja");
  const bytes = Buffer.concat([Buffer.from("89504e470d0a1a0a", "hex"), Buffer.alloc(100, 7)]);
  await sendText("loja", "oi", "+55 (31) 98765-4321");
  const media = {
    number: "5511988887777",
    mediatype: "image",
    media: bytes.toString("base64"),
    caption: "Oferta",
  };
  const sent = await call("POST", "/message/sendMedia/loja", { ...media, fileName: "a.png" });
  const mediaSha256 = createHash("sha256").update(bytes).digest("hex");
  expect(world.accepted).toMatchObject([
    {
      instance: "loja",
      jid: "553187654321@s.whatsapp.net",
      phone: "5531987654321",
      kind: "text",
      text: "oi",
    },
    { phone: "5511988887777", kind: "image", text: "Oferta", mediaSha256, fileName: "a.png", fault: null },
  ]);
  // Re-encoded by the gateway (recording 09b).
  const { imageMessage } = sent.body.message as { imageMessage: { fileSha256: Record<string, number> } };
  expect(Buffer.from(Object.values(imageMessage.fileSha256)).toString("hex")).not.toBe(mediaSha256);
  for (const [status, media] of [
    [400, `data:image/png;base64,${bytes.toString("base64")}`],
    [500, "bm90IGFuIGltYWdl"],
  ])
    expect(
      (await call("POST", "/message/sendMedia/loja", { number: "5511988887777", mediatype: "image", media }))
        .status,
    ).toBe(status);
  expect(world.accepted.length).toBe(2);
});

test("a large file goes through", async () => {
  const world = await start();
  await openLinked("loja");
  const media = Buffer.alloc(20 * 1024 * 1024, 7).toString("base64");
  const file = { number: "5511988887777", mediatype: "document", media, fileName: "a.pdf" };
  expect((await call("POST", "/message/sendMedia/loja", file)).status).toBe(201);
  expect(world.accepted).toMatchObject([{ kind: "document", fileName: "a.pdf", text: null }]);
});

test("messages are found by chat, id, side and time, newest first, page by page", async () => {
  let now = Date.parse("2026-11-20T12:00:00Z");
  const world = await start({ now: () => now });
  await openLinked("loja");
  for (let index = 0; index < 7; index += 1) {
    now += 60_000;
    if (index % 2 === 0) await sendText("loja", `${index}`);
    else world.reply("loja", "5511988887777", `${index}`);
  }
  await sendText("loja", "elsewhere", "5511977776666");
  const remoteJid = "5511988887777@s.whatsapp.net";
  const page = await find({ where: { key: { remoteJid } }, offset: 3, page: 2 });
  expect(page).toMatchObject({ total: 7, pages: 3, currentPage: 2 });
  expect(page.records.map(({ message }) => message.conversation)).toEqual(["3", "2", "1"]);
  expect((await find({ where: { key: { id: page.records[0]?.key.id } } })).total).toBe(1);
  expect((await find({ where: { key: { fromMe: true } } })).total).toBe(5);
  expect((await find({ where: { key: { fromMe: false } } })).total).toBe(8);
  const messageTimestamp = { gte: "2026-11-20T12:02:00.000Z", lte: "2026-11-20T12:04:00.000Z" };
  expect((await find({ where: { messageTimestamp } })).total).toBe(3);
  expect((await find({ where: { messageTimestamp: { gte: messageTimestamp.gte } } })).total).toBe(8);
});

test("people write texts, files, to groups, as a status, under a hidden id, and the owner on the phone", async () => {
  const world = await start();
  await openLinked("loja", webhook({ events: ["MESSAGES_UPSERT"] }));
  const group = world.group("Família");
  const person = "5511988887777";
  const file = { kind: "audio" as const, bytes: Buffer.from("ogg"), mimetype: "audio/ogg" };
  world.reply("loja", person, { media: file }, { id: "3A01" });
  world.reply("loja", person, "em grupo", { group, id: "3A02" });
  world.reply("loja", person, "status", { status: true, id: "3A03" });
  world.reply("loja", person, "escondido", { asLid: true, id: "3A04" });
  world.reply("loja", person, "sem número", { asLid: "only", pushName: null, id: "3A05" });
  world.reply(
    "loja",
    person,
    { raw: { messageType: "stickerMessage", message: { stickerMessage: {} } } },
    { id: "3A06" },
  );
  world.typedOnPhone("loja", person, "do celular", { id: "3A07" });
  world.typedOnPhone("loja", group, "no grupo", { id: "3A08" });
  world.reply("loja", person, "again", { id: "3A08" });
  await world.idle();
  const byId = Object.fromEntries(upserts().map((data) => [(data as Message).key.id, data as Message]));
  const jid = `${person}@s.whatsapp.net`;
  const lid = `7${person}@lid`;
  expect(Object.keys(byId).length).toBe(8);
  expect(byId["3A01"]?.message).toMatchObject({
    audioMessage: { mimetype: "audio/ogg" },
    base64: file.bytes.toString("base64"),
  });
  expect(byId["3A02"]?.key).toMatchObject({ remoteJid: group, participant: jid, fromMe: false });
  expect(byId["3A03"]?.key).toMatchObject({ remoteJid: "status@broadcast", participant: jid });
  expect(byId["3A04"]?.key).toMatchObject({ remoteJid: lid, remoteJidAlt: jid, addressingMode: "lid" });
  expect(byId["3A05"]).toMatchObject({ key: { remoteJid: lid }, pushName: null });
  expect(byId["3A05"]?.key).not.toHaveProperty("remoteJidAlt");
  expect(byId["3A06"]).toMatchObject({ messageType: "stickerMessage" });
  expect(byId["3A07"]).toMatchObject({
    key: { remoteJid: jid, fromMe: true },
    pushName: "Você",
    status: "SERVER_ACK",
  });
  expect(byId["3A08"]?.key).toMatchObject({ remoteJid: group, fromMe: true });
});

test("groups can be ignored, and people answer by themselves", async () => {
  const world = await start();
  await openLinked("loja", webhook({ events: ["MESSAGES_UPSERT"], base64: false }), { groupsIgnore: true });
  world.reply("loja", "5511988887777", "em grupo", { group: world.group("Família") });
  world.reply("loja", "5511988887777", {
    media: { kind: "image", bytes: Buffer.from("x"), mimetype: "image/png" },
  });
  world.person({ phone: "5511911112222", repliesWith: "SAIR" });
  await sendText("loja", "oferta", "5511911112222");
  await world.idle();
  expect(upserts()).toMatchObject([{ messageType: "imageMessage" }, { message: { conversation: "SAIR" } }]);
  expect((upserts()[0] as Message).message).not.toHaveProperty("base64");
});

test("an EVOLUTION instance knows numbers only, and repeats what is repeated", async () => {
  const world = await start();
  await openChannel("loja", webhook({ events: ["MESSAGES_UPSERT"] }));
  for (let twice = 0; twice < 2; twice += 1) world.reply("loja", "553187654321", "oi", { id: "IN-1" });
  await world.idle();
  const key = { id: "IN-1", remoteJid: "5531987654321", fromMe: false };
  expect(upserts()).toMatchObject([{ key }, { key }]);
  const { phone } = (await sendText("loja", "x", "anything")) && (world.accepted[0] ?? { phone: "" });
  expect(phone).toBeNull();
});

test("which person sees typing", async () => {
  const world = await start();
  await openLinked("loja");
  await sendText("loja", "oi", "5531987654321", { delay: 5 });
  const typing = { number: "5511988887777", presence: "composing", delay: 5 };
  expect(await call("POST", "/chat/sendPresence/loja", typing)).toEqual({
    status: 201,
    body: { presence: "composing" },
  });
  expect(world.presences.map(({ jid, presence }) => `${jid} ${presence}`)).toEqual([
    "553187654321@s.whatsapp.net composing",
    "553187654321@s.whatsapp.net paused",
    "5511988887777@s.whatsapp.net composing",
    "5511988887777@s.whatsapp.net paused",
  ]);
});

test("a send may be answered after its own webhook", async () => {
  const world = await start();
  await openLinked("loja", webhook({ events: ["SEND_MESSAGE"] }));
  world.behave({ webhookBeforeReply: true });
  await sendText("loja", "oi");
  expect(lab.receiver.events()).toEqual(["send.message"]);
});
