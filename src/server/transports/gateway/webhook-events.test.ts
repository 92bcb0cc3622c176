import { describe, expect, test } from "vitest";
import { type RecordedWebhook, recordedLines } from "../../../../tests/support/gateway-recordings.ts";
import {
  KEY,
  message,
  messagesOf,
  NOW,
  read,
  TIME,
  upsert,
} from "../../../../tests/support/webhook-bodies.ts";
import type { WebhookEvent } from "./webhook-events.ts";

const BAILEYS = recordedLines<RecordedWebhook>("09d-webhook-payloads-baileys-simulator").map(
  (one) => one.body,
);
const CHANNEL = recordedLines<RecordedWebhook>("07b-webhook-payloads-evolution-channel").map(
  (one) => one.body,
);
const RETRIES = recordedLines<RecordedWebhook>("08-webhook-retries-and-jwt").map((one) => one.body);

const all = (bodies: readonly RecordedWebhook["body"][]): WebhookEvent[] => bodies.map((body) => read(body));

describe("recorded webhooks", () => {
  test("every one of them is understood", () => {
    for (const { event, content } of all([...BAILEYS, ...CHANNEL, ...RETRIES]))
      expect([event, ["unknown", "malformed"].includes(content.kind)]).toEqual([event, false]);
  });

  test("what contacts wrote over WhatsApp", () => {
    const received = messagesOf(all(BAILEYS)).filter((one) => !one.fromMe);
    expect(
      received.map(({ chat, text, pushName, quotedId }) => ({ chat, text, pushName, quotedId })),
    ).toEqual([
      {
        chat: ["5511911112222@s.whatsapp.net", "75511911112222@lid"],
        text: "quero saber o preço",
        pushName: "Contato 2222",
        quotedId: null,
      },
      {
        chat: ["5521988887777@s.whatsapp.net", "75521988887777@lid"],
        text: "SAIR",
        pushName: "Contato 7777",
        quotedId: "3EB0BF3AE8B9EBA4EEFAEB",
      },
      {
        chat: ["5521988886666@s.whatsapp.net"],
        text: "mensagem de LID",
        pushName: "Contato 6666",
        quotedId: null,
      },
    ]);
    expect(received[0]?.at).toEqual(new Date("2026-11-20T09:05:59.000Z"));
    expect(received.every((one) => !one.viaApi)).toBe(true);
  });

  test("what went out through the gateway is ours, and bears no name", () => {
    const sent = messagesOf(all(BAILEYS.filter(({ event }) => event === "send.message")));
    expect(sent.length).toBeGreaterThan(5);
    expect(sent.every((one) => one.fromMe && one.viaApi && one.pushName === null)).toBe(true);
    expect(sent.map(({ kind, text }) => `${kind} ${text}`)).toEqual(
      expect.arrayContaining(["text Olá Maria 👋", "image Oferta", "document tabela"]),
    );
  });

  test("the EVOLUTION channel: numbers for addresses, the kind in messageType alone, pictures in base64", () => {
    const messages = messagesOf(all(CHANNEL));
    expect(messages.map(({ chat, kind, text }) => [chat[0], kind, text])).toEqual(
      expect.arrayContaining([
        ["5511988887777@s.whatsapp.net", "text", "quero saber o preço"],
        ["5511988887777@s.whatsapp.net", "text", "SAIR"],
        ["5511977776666@s.whatsapp.net", "image", "foto"],
        ["5511988887777@s.whatsapp.net", "audio", ""],
      ]),
    );
    const picture = messages.find(({ file }) => file?.content);
    expect(picture?.providerId).toBe("IN-3");
    expect(
      Buffer.from(picture?.file?.content ?? [])
        .subarray(1, 4)
        .toString(),
    ).toBe("PNG");
    const typed = messages.find(({ providerId }) => providerId === "IN-4");
    expect(typed).toMatchObject({ fromMe: true, viaApi: false, text: "do celular" });
  });

  test("receipts, by the message's id and not by the gateway's own", () => {
    const updates = BAILEYS.filter(({ event }) => event === "messages.update");
    const receipts = all(updates).flatMap(({ content }) =>
      content.kind === "receipts" ? content.receipts : [],
    );
    expect(receipts).toHaveLength(updates.length);
    expect(receipts.slice(0, 2).map(({ messageId, status }) => [messageId, status])).toEqual([
      ["3EB0BF3AE8B9EBA4EEFAEB", "delivered"],
      ["3EB0BF3AE8B9EBA4EEFAEB", "read"],
    ]);
  });

  test("states with their reasons, and QR codes", () => {
    const contents = all(BAILEYS).map(({ content }) => content);
    const states = contents.flatMap((one) => (one.kind === "state" ? [`${one.state} ${one.reason}`] : []));
    expect(new Set(states)).toEqual(new Set(["connecting 200", "open 200", "close 401"]));
    expect(contents.find((one) => one.kind === "state" && one.state === "open")).toMatchObject({
      phone: "5511900000001",
    });
    const codes = contents.flatMap((one) => (one.kind === "qr" ? [one.code.slice(0, 2)] : []));
    expect(codes).toEqual(["2@", "2@"]);
    const { instance, stamp } = read(BAILEYS[1]);
    expect([instance, stamp]).toEqual(["wa1", new Date("2026-11-20T09:05:41.290Z")]);
  });
});

describe("kinds of messages", () => {
  const caption = { caption: "Oi" };
  test.each([
    ["text", { conversation: "Oi" }, "Oi"],
    ["text", { extendedTextMessage: { text: "Oi" } }, "Oi"],
    [
      "text",
      { messageContextInfo: {}, ephemeralMessage: { message: { extendedTextMessage: { text: "Oi" } } } },
      "Oi",
    ],
    ["text", { buttonsResponseMessage: { selectedDisplayText: "Sim" } }, "Sim"],
    ["text", { listResponseMessage: { title: "Opção 1" } }, "Opção 1"],
    [
      "text",
      { interactiveResponseMessage: { body: { text: "SAIR" }, nativeFlowResponseMessage: { version: 3 } } },
      "SAIR",
    ],
    ["image", { imageMessage: caption }, "Oi"],
    ["image", { viewOnceMessageV2: { message: { imageMessage: caption } } }, "Oi"],
    ["image", { associatedChildMessage: { message: { imageMessage: caption } } }, "Oi"],
    ["video", { videoMessage: caption }, "Oi"],
    ["audio", { audioMessage: { seconds: 3 } }, ""],
    ["document", { documentWithCaptionMessage: { message: { documentMessage: caption } } }, "Oi"],
    ["document", { documentMessage: { caption: "", fileName: "preços.pdf" } }, "preços.pdf"],
    ["document", { documentMessage: { fileName: " a\u202efdp\n\0.exe\u2066 " } }, "afdp .exe"],
    ["document", { documentMessage: { fileName: `${"x".repeat(254)}🐝.pdf` } }, `${"x".repeat(254)}\ufffd`],
    ["document", { documentMessage: { fileName: "Sair" } }, ""],
    ["document", { documentMessage: { fileName: 7 } }, ""],
    ["sticker", { stickerMessage: {} }, ""],
    ["location", { locationMessage: { degreesLatitude: 1, name: "Praça" } }, "Praça"],
    ["contact", { contactMessage: { displayName: "Ana" } }, "Ana"],
    ["reaction", { reactionMessage: { key: { id: "3EB0" }, text: "👍" } }, "👍"],
    ["reaction", { reactionMessage: { key: { id: "3EB0" }, text: "" } }, ""],
    ["reaction", { ephemeralMessage: { message: { reactionMessage: { key: { id: "3EB0" } } } } }, ""],
    ["poll", { pollCreationMessageV3: { name: "Qual?" } }, "Qual?"],
    ["other", { viewOnceMessage: { message: { interactiveMessage: { body: { text: "Oi" } } } } }, "Oi"],
    ["other", { buttonsMessage: { contentText: "Oi", buttons: [] } }, "Oi"],
    ["other", { listMessage: { title: "Lojas", description: "Oi" } }, "Lojas\nOi"],
    ["other", { templateMessage: { hydratedTemplate: { hydratedContentText: "Oi" } } }, "Oi"],
    ["other", { somethingOf2027: { secret: 1 } }, ""],
    ["other", {}, ""],
    ["other", { messageContextInfo: { deviceListMetadata: {} } }, ""],
    ["other", { conversation: "" }, ""],
    ["text", JSON.parse('{"__proto__":{"conversation":"x"},"conversation":"Oi"}'), "Oi"],
  ])("%s %j", (kind, part, text) => {
    expect(message(part)).toMatchObject({ kind, text });
  });

  test.each([
    [{ protocolMessage: { type: "EPHEMERAL_SETTING", key: { id: "1" } } }],
    [{ senderKeyDistributionMessage: { groupId: "1" } }],
    [{ messageContextInfo: {}, senderKeyDistributionMessage: { groupId: "1" } }],
    [{ albumMessage: { expectedImageCount: 2 } }],
    [{ reactionMessage: { text: "" } }],
    [
      {
        messageContextInfo: { messageAssociation: { associationType: "HD_IMAGE_DUAL_UPLOAD" } },
        associatedChildMessage: { message: { imageMessage: caption } },
      },
    ],
    [null],
    [undefined],
  ])("%j is nothing that a chat shows", (part) => {
    expect(read(upsert({ key: KEY, message: part })).content).toEqual({ kind: "messages", messages: [] });
  });

  test("a reaction names the message it is about", () => {
    const reaction = { reactionMessage: { key: { id: "3EB0" }, text: "👍" } };
    expect(message(reaction)?.quotedId).toBe("3EB0");
  });

  test("an edit in a message brings the new words and the message that they replace", () => {
    const protocolMessage = {
      type: "MESSAGE_EDIT",
      key: { id: "3EB0" },
      editedMessage: { conversation: "18h30" },
    };
    const read = { kind: "text", text: "18h30", edits: "3EB0", providerId: "3A01", chat: [KEY.remoteJid] };
    expect(message({ protocolMessage })).toMatchObject(read);
    expect(
      message({ editedMessage: { message: { protocolMessage: { ...protocolMessage, type: 14 } } } }),
    ).toMatchObject(read);
    expect(message({ protocolMessage: { ...protocolMessage, editedMessage: null } })).toBeUndefined();
    expect(message({ conversation: "18h30" })).not.toHaveProperty("edits");
  });

  test("a deletion names its message, in a message, as a key or in a row", () => {
    const deletion = { kind: "other", text: "", deletes: "3EB0", fromMe: false, chat: [KEY.remoteJid] };
    const revoke = { protocolMessage: { type: "REVOKE", key: { id: "3EB0" } } };
    expect(message(revoke)).toMatchObject({ ...deletion, providerId: "3A01" });
    const deleted = { ...KEY, id: "3EB0" };
    for (const data of [deleted, [deleted], { key: deleted, status: "DELETED" }])
      expect(read({ event: "messages.delete", instance: "i", data }).content).toMatchObject({
        messages: [{ ...deletion, providerId: "deleted:3EB0" }],
      });
    for (const data of [{ all: true, jid: KEY.remoteJid }, null, [1], { key: null }])
      expect(read({ event: "messages.delete", data }).content).toEqual({ kind: "messages", messages: [] });
  });

  test("a quoted message comes along, beside the content or in it", () => {
    const contextInfo = { stanzaId: "3EB0", participant: "1@lid", quotedMessage: { conversation: "18h?" } };
    const quoted = { kind: "text", text: "18h?", participant: "1@lid" };
    expect(message({ extendedTextMessage: { text: "sim", contextInfo } })?.quoted).toEqual(quoted);
    const beside = upsert({ key: KEY, message: { conversation: "sim" }, contextInfo });
    expect(read(beside).content).toMatchObject({ messages: [{ text: "sim", quoted, quotedId: "3EB0" }] });
  });

  test("bytes and 64-bit numbers as JSON has them do not get in the way", () => {
    const part = {
      imageMessage: {
        fileSha256: { 0: 226, 1: 3 },
        fileLength: { low: 289, high: 0, unsigned: true },
        caption: "Oi",
      },
    };
    const at = { low: TIME, high: 0, unsigned: false };
    expect(message(part, { messageTimestamp: at })).toMatchObject({
      kind: "image",
      text: "Oi",
      at: new Date(TIME * 1_000),
    });
  });
});

describe("who", () => {
  const chatOf = (key: object) => {
    const { content } = read(
      upsert({ key: { ...KEY, ...key }, pushName: "Ana", message: { conversation: "Oi" } }),
    );
    return content.kind === "messages" ? content.messages[0] : undefined;
  };

  test("W17 a hidden address comes with the number behind it, either way round", () => {
    expect(chatOf({ remoteJid: "75511@lid", remoteJidAlt: "5511911112222@s.whatsapp.net" })?.chat).toEqual([
      "75511@lid",
      "5511911112222@s.whatsapp.net",
    ]);
    expect(chatOf({ remoteJid: "75511@lid" })?.chat).toEqual(["75511@lid"]);
    expect(chatOf({ remoteJid: "75511@lid", senderPn: "5511911112222@s.whatsapp.net" })?.chat).toHaveLength(
      2,
    );
    const replaced = { remoteJid: "5511911112222@s.whatsapp.net", previousRemoteJid: "75511@lid" };
    expect(chatOf(replaced)?.chat).toEqual(["5511911112222@s.whatsapp.net", "75511@lid"]);
  });

  test("W17 in a group the chat is the group, and the participant the one with a number", () => {
    const group = {
      remoteJid: "120363000000000001@g.us",
      participant: "75511@lid",
      participantAlt: "5511911112222:7@s.whatsapp.net",
    };
    expect(chatOf(group)).toMatchObject({
      chat: ["120363000000000001@g.us"],
      participant: "5511911112222:7@s.whatsapp.net",
      pushName: "Ana",
    });
    expect(chatOf({ ...group, participantAlt: "" })?.participant).toBe("75511@lid");
    expect(chatOf({ participant: "" })?.participant).toBeNull();
  });

  test.each(["status@broadcast", "120363@newsletter", "0@s.whatsapp.net", "5511-1@broadcast", "abc"])(
    "W17 %s has no chat",
    (remoteJid) => {
      const body = upsert({
        key: { ...KEY, remoteJid, participant: "5511911112222@s.whatsapp.net" },
        message: { conversation: "Oi" },
      });
      expect(read(body).content).toEqual({ kind: "messages", messages: [] });
    },
  );

  test("W18 names are text, whatever they look like", () => {
    const body = upsert({
      key: KEY,
      pushName: "<img src=x onerror=alert(1)>\0\ud800",
      message: { conversation: "Oi" },
    });
    expect(messagesOf([read(body)])[0]?.pushName).toBe("<img src=x onerror=alert(1)>\ufffd");
  });
});

describe("receipts", () => {
  const update = (data: unknown, date_time = NOW.toISOString()) => {
    const { content } = read({ event: "messages.update", instance: "a", data, date_time });
    return content.kind === "receipts" ? content.receipts : content.kind;
  };

  test.each([
    ["ERROR", "error"],
    ["SERVER_ACK", "accepted"],
    ["DELIVERY_ACK", "delivered"],
    ["READ", "read"],
    ["PLAYED", "read"],
    [0, "error"],
    [3, "delivered"],
  ])("%s means %s", (status, meaning) => {
    expect(update({ keyId: "A", fromMe: true, status })).toEqual([
      { messageId: "A", status: meaning, at: NOW },
    ]);
  });

  test.each(["PENDING", "DELETED", "constructor", 1, 99, null, undefined])("%s says nothing", (status) => {
    expect(update({ keyId: "A", fromMe: true, status })).toEqual([]);
  });

  test("that we read what others wrote is no receipt of ours", () => {
    const of = (status: string) => upsert({ keyId: "A", fromMe: false, status }, "messages.update");
    expect(read(of("READ")).content).toEqual({ kind: "receipts", receipts: [], read: ["A"] });
    expect(read(of("DELIVERY_ACK")).content).toEqual({ kind: "receipts", receipts: [], read: [] });
  });

  test("lists, and the id of 1.8", () => {
    const list = [
      { id: "A", fromMe: true, status: "READ" },
      { key: { id: "B", fromMe: true }, status: "ERROR" },
    ];
    expect(update(list)).toMatchObject([
      { messageId: "A", status: "read" },
      { messageId: "B", status: "error" },
    ]);
  });

  test("the gateway's clock is believed when it is near: local time marked as UTC is not", () => {
    const at = (time: string) => {
      const receipts = update({ keyId: "A", fromMe: true, status: "READ" }, time);
      return Array.isArray(receipts) ? receipts[0]?.at : null;
    };
    expect(at("2026-11-20T11:58:00Z")).toEqual(new Date("2026-11-20T11:58:00Z"));
    expect(at("2026-11-20T09:00:00Z")).toEqual(NOW);
    expect(at("2026-11-20T15:00:00Z")).toEqual(NOW);
    expect(at("2026-11-20T12:10:00Z")).toEqual(NOW);
    expect(at("nunca")).toEqual(NOW);
  });
});

test("a picture's address is one of the web, or none", () => {
  const picture = (profilePictureUrl: string) =>
    read({ event: "connection.update", data: { state: "open", profilePictureUrl } }).content;
  const address = "https://pps.whatsapp.net/v/1.jpg";
  expect(picture(address)).toMatchObject({ pictureUrl: address });
  for (const odd of [
    "javascript:alert(1)",
    "data:text/html,x",
    "/etc/passwd",
    `https://a.b/${"c".repeat(3_000)}`,
  ])
    expect(picture(odd)).toMatchObject({ kind: "state", pictureUrl: null });
});

test("no more QR codes: said in a shape of its own", () => {
  const data = { message: "QR code limit reached, please login again", statusCode: 500 };
  expect(read({ event: "qrcode.updated", data }).content).toEqual({ kind: "qr_limit" });
});

test("a stamp of another century does not win over every later one", () => {
  const stamp = (date_time: unknown) =>
    read({ event: "connection.update", data: { state: "open" }, date_time }).stamp;
  expect(stamp("2999-01-01T00:00:00Z")).toEqual(NOW);
  expect(stamp("1980-01-01T00:00:00Z")).toEqual(NOW);
  expect(stamp({})).toEqual(NOW);
  expect(stamp("2026-11-20T21:00:00Z")).toEqual(new Date("2026-11-20T21:00:00Z"));
});
