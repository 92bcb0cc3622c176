import { createHash } from "node:crypto";
import { downloadMediaMessage } from "baileys";
import sharp from "sharp";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { testSimulator } from "../../tests/support/simulator.ts";
import { type BareClient, numberAddress, pairBareClient } from "./bare-client.ts";

const PHONE = "5511900000001";
const MARIA = "5511911112222";
const simulator = testSimulator();
let client: BareClient;

beforeEach(async () => {
  client = await pairBareClient((qr) => simulator.control.scan({ qr, phone: PHONE }));
});
afterEach(() => client.end());

const send = (text: string, messageId: string, to = MARIA) =>
  client.socket.sendMessage(numberAddress(to), { text }, { messageId });
const acked = (id: string) => client.until(({ acks }) => acks.find((ack) => ack.id === id));
const updated = (id: string, status: number) =>
  client.until(({ updates }) => updates.find((one) => one.key.id === id && one.update.status === status));
const held = async (to = MARIA) => (await simulator.control.messages({ to })).messages;
const incoming = (text: string) =>
  client.until(({ upserts }) => upserts.find(({ messages }) => messages[0]?.message?.conversation === text));

describe("out", () => {
  test("a text is acknowledged, shown by the phone, delivered and read", async () => {
    const sent = await send("Olá Maria, promoção!", "CAMP1A0001");
    expect(sent?.status).toBe(1);
    expect(await acked("CAMP1A0001")).toMatchObject({ from: numberAddress(MARIA) });
    const delivered = await updated("CAMP1A0001", 3);
    expect(delivered.key.remoteJid).toBe(`7${MARIA}@lid`);
    // By hand: Baileys merges updates that come close together.
    await simulator.control.receipts({ from: MARIA, to: PHONE, ids: ["CAMP1A0001"], type: "read" });
    await updated("CAMP1A0001", 4);
    expect(await held()).toMatchObject([
      { id: "CAMP1A0001", from: PHONE, to: MARIA, text: "Olá Maria, promoção!", shown: true, frames: 1 },
    ]);
  });

  test("receipts by hand: one for many ids, read before delivered", async () => {
    await simulator.control.people({ settings: { deliversAfterMs: null } });
    for (const id of ["A", "B", "C"]) await send(`texto ${id}`, id);
    await acked("C");
    await simulator.control.receipts({ from: MARIA, to: PHONE, ids: ["A", "B", "C"], type: "read" });
    for (const id of ["A", "B", "C"]) await updated(id, 4);
    await simulator.control.receipts({ from: MARIA, to: PHONE, ids: ["A"] });
    await updated("A", 3);
  });

  test("an image with its caption arrives as the bytes that were sent", async () => {
    const image = await sharp({ create: { width: 40, height: 30, channels: 3, background: "teal" } })
      .jpeg()
      .toBuffer();
    await client.socket.sendMessage(numberAddress(MARIA), { image, caption: "Oferta" }, { messageId: "IMG" });
    await acked("IMG");
    const sha256 = createHash("sha256").update(image).digest("hex");
    expect(await held()).toMatchObject([
      {
        text: "Oferta",
        image: { sha256, mimetype: "image/jpeg", width: 40, height: 30, bytes: image.length },
      },
    ]);
    const shown = await simulator.control.image({ to: MARIA, id: "IMG" });
    expect(Buffer.from(shown.base64, "base64").equals(image)).toBe(true);
  });

  test("an upload that the media host refuses fails the send, and nothing arrives", async () => {
    await simulator.control.faults({ failUploads: 1 });
    const image = await sharp({ create: { width: 8, height: 8, channels: 3, background: "red" } })
      .jpeg()
      .toBuffer();
    const sending = client.socket.sendMessage(numberAddress(MARIA), { image });
    await expect(sending).rejects.toThrow("Media upload failed on all hosts");
    expect(await held()).toEqual([]);
  });

  test("the same id twice is two frames and one message on the phone", async () => {
    await send("Uma vez só", "TWICE");
    await updated("TWICE", 3);
    await send("Uma vez só", "TWICE");
    await client.until(({ acks }) => acks.filter((ack) => ack.id === "TWICE").length === 2);
    expect(await held()).toMatchObject([
      { id: "TWICE", frames: 2, accepted: 2, collapsed: true, shown: true },
    ]);
    expect(await simulator.control.stats({})).toMatchObject({
      frames: 2,
      repeated: 1,
      shown: 1,
      undecryptable: 0,
    });
  });
});

describe("lookup", () => {
  test("answers the registered number, and nothing for one that is not on WhatsApp", async () => {
    await simulator.control.people({ phones: ["5511000000000"], settings: { onWhatsApp: false } });
    await simulator.control.people({ phones: ["5531987654321"], settings: { registeredAs: "553187654321" } });
    const found = await client.socket.onWhatsApp("5531987654321", "5511000000000", MARIA);
    expect(found).toEqual([
      { jid: numberAddress("553187654321"), exists: true },
      { jid: numberAddress(MARIA), exists: true },
    ]);
  });

  test("a message to a number registered without its ninth digit is held by that phone", async () => {
    await simulator.control.people({ phones: ["5531987654321"], settings: { registeredAs: "553187654321" } });
    await send("oi", "NINTH", "5531987654321");
    await acked("NINTH");
    expect(await held("553187654321")).toMatchObject([{ id: "NINTH", text: "oi" }]);
  });

  test("a message to a number not on WhatsApp is sent by the client and received by no one", async () => {
    await simulator.control.people({ phones: ["5511000000000"], settings: { onWhatsApp: false } });
    await send("x", "UNREGISTERED", "5511000000000");
    await acked("UNREGISTERED");
    const all = await simulator.control.messages({ to: "5511000000000", shown: false });
    expect(all.messages).toMatchObject([{ id: "UNREGISTERED", shown: false, accepted: 1 }]);
    expect(await held("5511000000000")).toEqual([]);
  });

  test("a lookup that the server limits fails with 429", async () => {
    await simulator.control.faults({ failQueries: { namespace: "usync", code: 429, count: 1 } });
    await expect(client.socket.onWhatsApp(MARIA)).rejects.toMatchObject({ data: 429 });
    await expect(client.socket.onWhatsApp(MARIA)).resolves.toHaveLength(1);
  });
});

describe("refused, lost and late", () => {
  test("463 refuses the person; the time-lock can be asked for", async () => {
    await simulator.control.people({ phones: [MARIA], settings: { refusesWith: 463 } });
    const until = Math.floor(Date.now() / 1000) + 3600;
    await simulator.control.timelock({ phone: PHONE, until });
    await send("frio", "COLD");
    const refused = await updated("COLD", 0);
    expect(refused.update.messageStubParameters).toContain("463");
    expect(await acked("COLD")).toMatchObject({ error: "463" });
    await expect(client.socket.fetchAccountReachoutTimelock()).resolves.toMatchObject({
      isActive: true,
      timeEnforcementEnds: new Date(until * 1000),
      enforcementType: "WEB_COMPANION_ONLY",
    });
    expect(await held()).toEqual([]);
  });

  test("a time-locked number may still answer who wrote to it", async () => {
    await simulator.control.timelock({ phone: PHONE, until: Math.floor(Date.now() / 1000) + 3600 });
    await send("frio", "COLD");
    expect(await acked("COLD")).toMatchObject({ error: "463" });
    await simulator.control.write({ from: MARIA, to: PHONE, text: "quero saber" });
    await incoming("quero saber");
    await send("claro!", "WARM");
    expect((await acked("WARM")).error).toBeUndefined();
    await simulator.control.timelock({ phone: PHONE, until: null });
    await send("bom dia", "FREE", "5511933334444");
    expect((await acked("FREE")).error).toBeUndefined();
  });

  test("a time-locked number may still write to who got a message of its delivered", async () => {
    await send("bom dia", "FIRST");
    await updated("FIRST", 3);
    await simulator.control.timelock({ phone: PHONE, until: Math.floor(Date.now() / 1000) + 3600 });
    await send("de novo", "AGAIN");
    expect((await acked("AGAIN")).error).toBeUndefined();
    await simulator.control.timelock({ phone: PHONE, until: null });
  });

  test("a quota counts each new conversation once, and refuses what exceeds it with 463", async () => {
    const asked = () => client.socket.fetchNewChatMessageCap();
    expect(await asked()).toMatchObject({ total_quota: -1, used_quota: 0, cycle_end_timestamp: null });
    const until = Math.floor(Date.now() / 1000) + 3600;
    await simulator.control.quota({ phone: PHONE, total: 50, used: 48, until });
    await simulator.control.people({ settings: { deliversAfterMs: null } });
    await simulator.control.write({ from: MARIA, to: PHONE, text: "oi" });
    const outcome = async (id: string, to: string) => {
      await send("oi", id, to);
      return (await acked(id)).error;
    };
    expect(await outcome("WARM", MARIA), "wrote first").toBeUndefined();
    expect(await asked()).toMatchObject({ total_quota: 50, used_quota: 48, capping_status: "NONE" });
    for (const [id, to] of ["5511933330001", "5511933330001", "5511933330002"].entries())
      expect(await outcome(`COLD${id}`, to)).toBeUndefined();
    expect(await outcome("REFUSED", "5511933330003")).toBe("463");
    expect(await outcome("BEGUN", "5511933330002")).toBeUndefined();
    expect(await asked()).toMatchObject({
      used_quota: 50,
      capping_status: "CAPPED",
      cycle_end_timestamp: String(until),
    });
    await simulator.control.quota({ phone: PHONE, total: 50, used: 50, until: until - 7200 });
    expect(await outcome("OVER", "5511933330003"), "the cycle is over").toBeUndefined();
  });

  test("WhatsApp tells by itself that a restriction begins and ends, and how a quota stands", async () => {
    const lock = (active: boolean) =>
      client.until(({ connection }) =>
        connection.map((one) => one.reachoutTimeLock).find((one) => one?.isActive === active),
      );
    const until = Math.floor(Date.now() / 1000) + 3600;
    await simulator.control.timelock({ phone: PHONE, until, notify: "also" });
    expect(await lock(true)).toMatchObject({ timeEnforcementEnds: new Date(until * 1000) });
    await simulator.control.timelock({ phone: PHONE, until: null, notify: "only" });
    await lock(false);
    await send("frio", "COLD");
    expect(await acked("COLD"), "only told").toMatchObject({ error: "463" });
    const told = new Promise((resolve) => client.socket.ev.on("message-capping.update", resolve));
    await simulator.control.quota({ phone: PHONE, total: 50, used: 7, notify: true });
    expect(await told).toMatchObject({ total_quota: 50, used_quota: 7 });
  });

  test("a refused message sent again under its id arrives once it is taken", async () => {
    await simulator.control.faults({ refuseNext: { code: 500, count: 1 } });
    await send("de novo", "AGAIN");
    expect(await acked("AGAIN")).toMatchObject({ error: "500" });
    await send("de novo", "AGAIN");
    await updated("AGAIN", 3);
    expect(await held()).toMatchObject([{ frames: 2, accepted: 1, collapsed: false, refusedWith: null }]);
  });

  test("a dropped acknowledgement leaves the message with the person", async () => {
    await simulator.control.faults({ dropAcks: 1 });
    await send("sem resposta", "NOACK");
    await updated("NOACK", 3);
    expect(client.acks).toEqual([]);
    expect(await held()).toMatchObject([{ id: "NOACK", shown: true }]);
    expect(await simulator.control.stats({})).toMatchObject({ acksDropped: 1 });
  });

  test("a late acknowledgement comes when the clock says so, after the receipt", async () => {
    await simulator.control.clock({ hold: true });
    await simulator.control.faults({ delayAcks: { ms: 30_000, count: 1 } });
    await send("devagar", "LATE");
    await simulator.control.messages({ to: MARIA, atLeast: 1 });
    await simulator.control.clock({ advanceMs: 1000 });
    await updated("LATE", 3);
    expect(client.acks).toEqual([]);
    await simulator.control.clock({ advanceMs: 30_000 });
    expect(await acked("LATE")).toMatchObject({ id: "LATE" });
  });
});

describe("in", () => {
  test("a text from a known person, with its number next to the LID", async () => {
    await send("oi", "FIRST");
    await updated("FIRST", 3);
    await simulator.control.write({ from: MARIA, to: PHONE, text: "SAIR" });
    const upsert = await incoming("SAIR");
    expect(upsert.type).toBe("notify");
    expect(upsert.messages[0]).toMatchObject({
      key: { remoteJid: `7${MARIA}@lid`, remoteJidAlt: numberAddress(MARIA), fromMe: false },
      pushName: "Contato 2222",
    });
  });

  test("texts from an unknown person, and both sides continue from there", async () => {
    const joana = "5521988887777";
    await simulator.control.people({ phones: [joana], settings: { name: "Joana" } });
    await simulator.control.write({ from: joana, to: PHONE, text: "quero saber mais" });
    expect((await incoming("quero saber mais")).messages[0]?.pushName).toBe("Joana");
    await send("o que?", "ANSWER", joana);
    await updated("ANSWER", 3);
    await simulator.control.write({ from: joana, to: PHONE, text: "o preço" });
    await incoming("o preço");
    expect(await held(joana)).toMatchObject([{ text: "o que?" }]);
  });

  test("a client that expects its history first is not kept waiting for what people write", async () => {
    client.end();
    const expecting = { shouldSyncHistoryMessage: () => true };
    client = await pairBareClient((qr) => simulator.control.scan({ qr, phone: PHONE }), expecting);
    await simulator.control.write({ from: MARIA, to: PHONE, text: "oi" });
    expect((await incoming("oi")).type).toBe("notify");
  });

  test("a person answers by itself when set so", async () => {
    await simulator.control.people({ settings: { repliesWith: "Pode parar" } });
    await send("Promoção", "AUTO");
    await incoming("Pode parar");
  });

  test("an image from a person can be downloaded and is the one that was sent", async () => {
    const image = await sharp({ create: { width: 10, height: 10, channels: 3, background: "navy" } })
      .png()
      .toBuffer();
    const imageBase64 = image.toString("base64");
    await simulator.control.write({
      from: MARIA,
      to: PHONE,
      imageBase64,
      mimetype: "image/png",
      text: "foto",
    });
    const message = await client.until(({ upserts }) => upserts[0]?.messages[0]);
    expect(message.message?.imageMessage).toMatchObject({
      caption: "foto",
      mimetype: "image/png",
      width: 10,
    });
    expect(image.equals(await downloadMediaMessage(message, "buffer", {}))).toBe(true);
  });
});
