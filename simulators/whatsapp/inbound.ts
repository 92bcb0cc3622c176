import { createCipheriv, hkdfSync, randomBytes } from "node:crypto";
import { type BinaryNode, proto } from "baileys";
import { type Account, type Device, deliverToAccount, deliverToDevice } from "./accounts.ts";
import type { Person } from "./people.ts";
import { senderJid } from "./receipts.ts";
import { refusal } from "./refusal.ts";
import type { Encrypted, KeyBundle } from "./signal.ts";
import { stanza, unixSeconds } from "./stanza.ts";
import { addressOf, type Group, isGroup, lidJid, numberJid, type World } from "./world.ts";

const RESENDABLE = 1000;

const newMessageId = () => `3A${randomBytes(9).toString("hex").toUpperCase()}`;

export function takeBundle(device: Device): KeyBundle {
  const preKey = device.preKeys.shift();
  return { ...device.keys, ...(preKey ? { preKey } : {}) };
}

/** Every linked device gets its own encrypted copy. */
export async function sendMessage(
  world: World,
  person: Person,
  account: Account,
  message: proto.IMessage,
  id = newMessageId(),
  toList = false,
): Promise<string> {
  account.openWith.add(person.phone);
  remember(world, id, message);
  for (const device of account.devices.values()) {
    const encrypted = await encryptFor(world, person, account, device, message);
    const direct = directMessage(world, person, id, message, encrypted);
    deliverToDevice(device, toList ? throughList(direct) : direct);
  }
  return id;
}

export function sendEdit(
  world: World,
  person: Person,
  account: Account,
  { id, text }: { id: string; text: string },
): Promise<string> {
  const secret = world.resendable.get(id)?.messageContextInfo?.messageSecret;
  if (!secret) throw refusal("message_not_found");
  const author = lidJid(person.lid);
  const key = Buffer.from(hkdfSync("sha256", secret, "", `${id}${author}${author}Message Edit`, 32));
  const encIv = randomBytes(12);
  const sealing = createCipheriv("aes-256-gcm", key, encIv);
  const edit = { protocolMessage: { type: 14, key: { id }, editedMessage: { conversation: text } } };
  const plain = proto.Message.encode(proto.Message.fromObject(edit)).finish();
  const encPayload = Buffer.concat([sealing.update(plain), sealing.final(), sealing.getAuthTag()]);
  const sealed = { targetMessageKey: { id, fromMe: false }, encPayload, encIv, secretEncType: 2 };
  return sendMessage(world, person, account, { secretEncryptedMessage: sealed });
}

export function sendSeenOnce(world: World, person: Person, account: Account, id = newMessageId()): string {
  account.openWith.add(person.phone);
  const attrs = directAttrs(world, person, id, "media");
  deliverToAccount(account, stanza("message", attrs, [stanza("unavailable", { type: "view_once" })]));
  return id;
}

export async function typeOnPhone(
  world: World,
  account: Account,
  to: string,
  message: proto.IMessage,
  id = newMessageId(),
): Promise<string> {
  const group = isGroup(to);
  const destinationJid = group ? to : lidJid(world.people.lidOf(to));
  const copy = { deviceSentMessage: { destinationJid, message } };
  const attrs = {
    ...(group
      ? { from: to, participant: lidJid(account.lid) }
      : { from: lidJid(account.lid), recipient: destinationJid, peer_recipient_pn: numberJid(to) }),
    addressing_mode: "lid",
    id,
    type: "text",
    t: unixSeconds(world.schedule.now()),
    notify: world.people.nameOf(account.phone),
  };
  for (const device of account.devices.values()) {
    const { type, ciphertext } = await encryptFor(world, account.person, account, device, copy);
    deliverToDevice(device, stanza("message", attrs, [stanza("enc", { v: 2, type }, ciphertext)]));
  }
  return id;
}

export const sendText = (world: World, person: Person, account: Account, text: string, id?: string) =>
  sendMessage(world, person, account, { conversation: text }, id);

function encryptFor(world: World, person: Person, account: Account, device: Device, message: proto.IMessage) {
  const address = { lid: account.lid, device: device.id };
  return world.signal.encrypt(person, address, message, () => takeBundle(device));
}

function remember(world: World, id: string, message: proto.IMessage): void {
  world.resendable.set(id, message);
  if (world.resendable.size <= RESENDABLE) return;
  for (const oldest of world.resendable.keys()) {
    world.resendable.delete(oldest);
    break;
  }
}

export async function resendTo(
  world: World,
  account: Account,
  device: Device,
  retry: BinaryNode,
): Promise<void> {
  const { id = "", to } = retry.attrs;
  const message = world.resendable.get(id);
  const person = addressOf(world, to)?.person;
  if (!message || !person) return;
  const address = { lid: account.lid, device: device.id };
  const encrypted = await world.signal.encrypt(person, address, message, () => takeBundle(device), true);
  deliverToDevice(device, directMessage(world, person, id, message, encrypted));
}

function directMessage(
  world: World,
  person: Person,
  id: string,
  message: proto.IMessage,
  encrypted: Encrypted,
) {
  const media = mediaTypeOf(message);
  const attrs = directAttrs(world, person, id, media ? "media" : "text");
  return stanza("message", attrs, [
    stanza("enc", { v: 2, type: encrypted.type, mediatype: media }, encrypted.ciphertext),
  ]);
}

function mediaTypeOf(message: proto.IMessage): string | undefined {
  const { documentWithCaptionMessage: captioned, audioMessage } = message;
  if (captioned || message.documentMessage) return "document";
  if (audioMessage) return audioMessage.ptt ? "ptt" : "audio";
  if (message.videoMessage) return "video";
  if (message.stickerMessage) return "sticker";
  return message.imageMessage ? "image" : undefined;
}

function directAttrs(world: World, person: Person, id: string, type: "media" | "text") {
  const byLid = world.options.receiptsFrom === "lid";
  return {
    from: senderJid(world, person),
    sender_pn: byLid ? numberJid(person.phone) : undefined,
    sender_lid: byLid ? undefined : lidJid(person.lid),
    addressing_mode: byLid ? "lid" : "pn",
    id,
    type,
    t: unixSeconds(world.schedule.now()),
    notify: world.people.nameOf(person.phone),
  };
}

/** From the list, with its writer as in a group. */
function throughList({ attrs, content }: BinaryNode): BinaryNode {
  const { sender_pn, sender_lid, from, ...rest } = attrs;
  const named = { participant: from, participant_pn: sender_pn, participant_lid: sender_lid };
  return stanza("message", { ...rest, ...named, from: `${LIST}@broadcast` }, content);
}

/** WhatsApp names lists by creation time. */
const LIST = "1700000000";

export async function sendToGroup(
  world: World,
  person: Person,
  group: Group,
  message: proto.IMessage,
  id = newMessageId(),
): Promise<string> {
  const { ciphertext, keyMessage } = await world.signal.encryptForGroup(person, group.id, message);
  const attrs = {
    from: group.id,
    participant: lidJid(person.lid),
    participant_pn: numberJid(person.phone),
    addressing_mode: "lid",
    id,
    type: "text",
    t: unixSeconds(world.schedule.now()),
    notify: world.people.nameOf(person.phone),
  };
  for (const member of group.members) {
    const account = world.accounts.find(member);
    if (!account || member === person.phone) continue;
    for (const device of account.devices.values()) {
      const key = await encryptFor(world, person, account, device, keyMessage);
      const content = [
        stanza("enc", { v: 2, type: key.type }, key.ciphertext),
        stanza("enc", { v: 2, type: "skmsg" }, ciphertext),
      ];
      deliverToDevice(device, stanza("message", attrs, content));
    }
  }
  return id;
}
