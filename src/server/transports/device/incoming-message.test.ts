import { proto, type WAMessage } from "baileys";
import { expect, test } from "vitest";
import { readIncoming } from "./incoming-message.ts";

const ME = { id: "5511900000001:7@s.whatsapp.net", lid: "75511900000001:7@lid" };
const ANA = "5511911110001@s.whatsapp.net";
const ANA_LID = "71111@lid";
const GROUP = "120363000000000000@g.us";
const { Type } = proto.Message.ProtocolMessage;

type Key = Partial<WAMessage["key"]>;

function arrived(content: proto.IMessage | undefined, key: Key = {}): WAMessage {
  const message =
    content && proto.Message.decode(proto.Message.encode(proto.Message.fromObject(content)).finish());
  return {
    key: { id: "3A01", remoteJid: ANA_LID, remoteJidAlt: ANA, fromMe: false, ...key },
    messageTimestamp: 1_700_000_000,
    pushName: "Ana",
    ...(message ? { message } : {}),
  } as WAMessage;
}
const read = (content: proto.IMessage | undefined, key?: Key) =>
  readIncoming(arrived(content, key), null, ME);
const text = (words: string) => ({ conversation: words });

test.each<[string, proto.IMessage, string, string]>([
  ["a plain text", text("oi"), "text", "oi"],
  [
    "a text with a preview",
    { extendedTextMessage: { text: "https://exemplo.com.br" } },
    "text",
    "https://exemplo.com.br",
  ],
  ["a picture", { imageMessage: { caption: "a vitrine", mimetype: "image/jpeg" } }, "image", "a vitrine"],
  ["a picture without words", { imageMessage: { mimetype: "image/jpeg" } }, "image", ""],
  ["a film", { videoMessage: { caption: "olha" } }, "video", "olha"],
  ["a voice message", { audioMessage: { ptt: true } }, "audio", ""],
  ["a file", { documentMessage: { fileName: "preços.pdf", caption: "tabela" } }, "document", "tabela"],
  ["a file without words", { documentMessage: { fileName: "preços.pdf" } }, "document", "preços.pdf"],
  [
    "a file with words",
    { documentWithCaptionMessage: { message: { documentMessage: { caption: "tabela" } } } },
    "document",
    "tabela",
  ],
  ["a sticker", { stickerMessage: { isAnimated: true } }, "sticker", ""],
  [
    "a place",
    { locationMessage: { degreesLatitude: 1, degreesLongitude: 2, name: "Praça" } },
    "location",
    "Praça\nhttps://maps.google.com/?q=1,2",
  ],
  ["a contact", { contactMessage: { displayName: "Bia" } }, "contact", "Bia"],
  ["a reaction", { reactionMessage: { key: { id: "X" }, text: "👍" } }, "reaction", "👍"],
  ["a reaction taken away", { reactionMessage: { key: { id: "X" }, text: "" } }, "reaction", ""],
  ["a disappearing text", { ephemeralMessage: { message: text("some") } }, "text", "some"],
  [
    "a picture seen once",
    { viewOnceMessageV2: { message: { imageMessage: { caption: "uma vez" } } } },
    "image",
    "uma vez",
  ],
  [
    "a picture of an album",
    { associatedChildMessage: { message: { imageMessage: { caption: "a fachada" } } } },
    "image",
    "a fachada",
  ],
  ["a poll", { pollCreationMessageV3: { name: "Quando?" } }, "poll", "Quando?"],
  ["a poll of a later make", { pollCreationMessageV5: { name: "Onde?" } }, "poll", "Onde?"],
  ["what a later WhatsApp sends, of which nothing is read", {}, "other", ""],
])("%s", (_, content, kind, words) => {
  expect(read(content)).toMatchObject({ kind, text: words });
});

test("an edit names what it changes, in whichever envelope", () => {
  const protocolMessage = { type: Type.MESSAGE_EDIT, key: { id: "3A00" }, editedMessage: text("amanhã") };
  const edited = { kind: "text", text: "amanhã", edits: "3A00", providerId: "3A01" };
  expect(read({ protocolMessage })).toMatchObject(edited);
  expect(read({ editedMessage: { message: { protocolMessage } } })).toMatchObject(edited);
});

test("a deletion for everyone names the message that it deletes", () => {
  const revoke = (id?: string) => read({ protocolMessage: { type: Type.REVOKE, key: { id } } });
  expect(revoke("3A00")).toMatchObject({ deletes: "3A00", providerId: "3A01", text: "" });
  expect(revoke()).toBeNull();
});

test("keys, settings and undecryptable stanzas are no message", () => {
  for (const protocolMessage of [
    { type: Type.EPHEMERAL_SETTING, ephemeralExpiration: 60 },
    { type: Type.APP_STATE_SYNC_KEY_SHARE },
    { type: Type.HISTORY_SYNC_NOTIFICATION },
  ])
    expect(read({ protocolMessage })).toBeNull();
  expect(read({ senderKeyDistributionMessage: { groupId: GROUP } })).toBeNull();
  expect(read({ reactionMessage: { text: "" } })).toBeNull();
  expect(read(undefined)).toBeNull();
  expect(readIncoming({ ...arrived(text("x")), messageStubType: 2 } as WAMessage, null, ME)).toBeNull();
  expect(read(undefined, { isViewOnce: true })).toMatchObject({ kind: "other", text: "" });
});

test("the pictures of an album are its messages: neither the word that they come nor their better copies are others", () => {
  expect(read({ albumMessage: { expectedImageCount: 2 } })).toBeNull();
  const { AssociationType } = proto.MessageAssociation;
  const child = (associationType: proto.MessageAssociation.AssociationType) => ({
    messageContextInfo: { messageAssociation: { associationType, parentMessageKey: { id: "3A00" } } },
    associatedChildMessage: { message: { imageMessage: { mimetype: "image/jpeg" } } },
  });
  const inAlbum = arrived(child(AssociationType.MEDIA_ALBUM));
  expect(readIncoming(inAlbum, null, ME)).toMatchObject({ kind: "image", providerId: "3A01" });
  expect(readIncoming(inAlbum, null, ME)?.file).toMatchObject({ kind: "image", mime: "image/jpeg" });
  expect(read(child(AssociationType.HD_IMAGE_DUAL_UPLOAD))).toBeNull();
  expect(read({ ephemeralMessage: { message: child(AssociationType.MOTION_PHOTO) } })).toBeNull();
});

test("what a message quotes", () => {
  const quotes = (quotedMessage: object) => {
    const contextInfo = { stanzaId: "3A00", participant: ANA, quotedMessage };
    return read({ extendedTextMessage: { text: "sim", contextInfo } })?.quoted;
  };
  expect(quotes({ imageMessage: { caption: "esta?" } })).toEqual({
    kind: "image",
    text: "esta?",
    participant: ANA,
  });
  expect(quotes({ protocolMessage: {} })).toBeUndefined();
  expect(quotes({ conversation: "x".repeat(5_000) })?.text).toHaveLength(1_000);
  expect(read({ extendedTextMessage: { text: "sim", contextInfo: { stanzaId: "3A00" } } })?.quotedId).toBe(
    "3A00",
  );
});

test("of a message that we wrote, our own names do not name the chat, unless it is with us", () => {
  const node = { tag: "message", attrs: { peer_recipient_pn: ANA } };
  const own = { fromMe: true, remoteJidAlt: "5511900000001@s.whatsapp.net" };
  const written = (key: Key, from = node) => readIncoming(arrived(text("oi"), { ...own, ...key }), from, ME);
  expect(written({})?.chat).toEqual([ANA_LID, ANA]);
  expect(written({})?.pushName).toBeNull();
  expect(written({ remoteJid: "75511900000001@lid" }, { tag: "message", attrs: {} as never })?.chat).toEqual([
    "75511900000001@lid",
    "5511900000001@s.whatsapp.net",
  ]);
});

test("the recipient address of a message written by others does not name the chat", () => {
  const attrs = { recipient_pn: "5511922220002@s.whatsapp.net", peer_recipient_lid: "72222@lid" };
  const message = arrived(text("oi"));
  expect(readIncoming(message, { tag: "message", attrs }, ME)?.chat).toEqual([ANA_LID, ANA]);
});

test("a list message belongs to its writer's chat; ours and status updates have none", () => {
  const byAna = { participant: "71111:3@lid", remoteJidAlt: ANA };
  const list = { ...byAna, remoteJid: "1700000000@broadcast" };
  expect(read(text("oferta"), list)).toMatchObject({ chat: [ANA_LID, ANA], participant: null });
  expect(read(text("oferta"), { ...list, fromMe: true })).toBeNull();
  expect(read(text("oferta"), { ...byAna, remoteJid: "status@broadcast" })).toBeNull();
});

test("a group message names its writer by phone number where available", () => {
  const inGroup = { remoteJid: GROUP, remoteJidAlt: undefined, participant: "71111:3@lid" } as Key;
  expect(read(text("oi"), { ...inGroup, participantAlt: ANA })).toMatchObject({
    chat: [GROUP],
    participant: ANA,
  });
  expect(read(text("oi"), inGroup)).toMatchObject({ participant: ANA_LID });
  expect(read(text("oi"), { ...inGroup, fromMe: true })).toMatchObject({ fromMe: true, participant: null });
});
