import { type BinaryNode, proto } from "baileys";
import { type Account, type Device, deliverToDevice } from "./accounts.ts";
import { sendText } from "./inbound.ts";
import type { AboutNote, FileNote, MessageRecord } from "./ledger.ts";
import type { Person } from "./people.ts";
import { countAgainstQuota, exceedsQuota } from "./quota.ts";
import { askAgain, sendReceipt } from "./receipts.ts";
import type { Session } from "./session.ts";
import type { DeviceAddress, Encrypted } from "./signal.ts";
import { bytesOf, childOf, childrenOf, stanza, unixSeconds } from "./stanza.ts";
import { type Address, addressOf, isGroup, lidJid, numberJid, type World } from "./world.ts";

const TIMELOCKED = 463;
const MAX_RETRIES = 5;

type Sender = { account: Account; device: Device };
type Envelope = { to: Address; encrypted: Encrypted };

export async function takeMessage(
  world: World,
  session: Session,
  sender: Sender,
  node: BinaryNode,
): Promise<void> {
  const { to = "", id = "" } = node.attrs;
  if (world.faults.take("cutBeforeAccept")) {
    world.ledger.counts.lost += 1;
    session.cut();
    return;
  }
  const recipient = isGroup(to) ? undefined : addressOf(world, to);
  const record = world.ledger.frame(id, sender.account.phone, recipient?.phone ?? to);
  const refusedWith = whyRefused(world, sender.account, recipient);
  if (refusedWith !== undefined) {
    world.ledger.refuse(record, refusedWith);
    session.send(ack(world, node, refusedWith));
    world.events.emit("message", record);
    return;
  }
  world.ledger.accept(record);
  if (recipient) countAgainstQuota(world, sender.account, recipient.phone);
  acknowledge(world, session, node);
  if (recipient) await deliver(world, sender, node, record, recipient);
  else await deliverToGroup(world, sender, node, record);
  world.events.emit("message", record);
}

function whyRefused(world: World, account: Account, recipient: Address | undefined): number | undefined {
  const general = world.faults.takeRefusal();
  if (general !== undefined) return general;
  if (!recipient) return undefined;
  const { refusesWith } = world.people.settingsOf(recipient.phone);
  if (refusesWith !== null) return refusesWith;
  const { timelock } = account;
  const locked = timelock !== null && timelock.until > unixSeconds(world.schedule.now());
  if (locked && !account.openWith.has(recipient.phone)) return TIMELOCKED;
  return exceedsQuota(world, account, recipient.phone) ? TIMELOCKED : undefined;
}

function ack(world: World, node: BinaryNode, error?: number): BinaryNode {
  const t = unixSeconds(world.schedule.now());
  return stanza("ack", { class: "message", from: node.attrs.to, id: node.attrs.id, t, error });
}

function acknowledge(world: World, session: Session, node: BinaryNode) {
  const { faults, ledger, schedule } = world;
  if (faults.take("cutAfterAccept")) return session.cut();
  if (faults.take("dropAcks")) {
    ledger.counts.acksDropped += 1;
    return;
  }
  const delay = faults.takeAckDelay();
  if (delay === undefined) return session.send(ack(world, node));
  ledger.counts.acksDelayed += 1;
  schedule.after(delay, () => session.send(ack(world, node)));
}

function* envelopes(world: World, node: BinaryNode): Generator<Envelope> {
  for (const target of childrenOf(childOf(node, "participants"), "to")) {
    const to = addressOf(world, target.attrs.jid);
    const enc = childOf(target, "enc");
    if (to && enc) yield { to, encrypted: encryptedOf(enc) };
  }
  const direct = childOf(node, "enc");
  const to = direct && addressOf(world, node.attrs.to);
  if (to && direct.attrs.type !== "skmsg") yield { to, encrypted: encryptedOf(direct) };
}

const encryptedOf = (enc: BinaryNode): Encrypted => ({
  type: enc.attrs.type === "pkmsg" ? "pkmsg" : "msg",
  ciphertext: bytesOf(enc),
});

const deviceAddress = ({ account, device }: Sender): DeviceAddress => ({
  lid: account.lid,
  device: device.id,
});

async function deliver(
  world: World,
  sender: Sender,
  node: BinaryNode,
  record: MessageRecord,
  recipient: Address,
) {
  for (const { to, encrypted } of envelopes(world, node)) {
    if (to.device !== 0) forward(world, sender, node, to, encrypted);
    else if (to.phone === recipient.phone && recipient.person) {
      await openOnPhone(world, sender, record, recipient.person, encrypted);
    }
  }
}

async function openOnPhone(
  world: World,
  sender: Sender,
  record: MessageRecord,
  person: Person,
  encrypted: Encrypted,
) {
  let message: proto.IMessage = {};
  if (world.options.decrypt) {
    try {
      message = await world.signal.decrypt(person, deviceAddress(sender), encrypted);
    } catch {
      world.ledger.counts.undecryptable += 1;
      record.undecryptable += 1;
      if (!record.shown && record.undecryptable <= MAX_RETRIES) {
        askAgain(world, sender.account, person, record.id, record.undecryptable);
      }
      return;
    }
  }
  if (record.shown) return;
  show(world, record, person, message);
  react(world, sender.account, record, person);
}

function show(world: World, record: MessageRecord, person: Person, message: proto.IMessage): void {
  if (!record.shown) world.ledger.counts.shown += 1;
  record.shown = true;
  person.held.push(record);
  if (!world.options.keepContent) return;
  // Arrives as a copy of the person's own message.
  const said = message.deviceSentMessage?.message ?? message;
  const file = fileOf(said);
  record.image = said.imageMessage ?? null;
  record.file = file?.note ?? null;
  record.about = aboutOf(said);
  record.text =
    said.conversation ??
    said.extendedTextMessage?.text ??
    said.reactionMessage?.text ??
    file?.caption ??
    null;
}

const { REVOKE } = proto.Message.ProtocolMessage.Type;

function aboutOf(said: proto.IMessage): AboutNote | null {
  const { reactionMessage, protocolMessage } = said;
  const key = reactionMessage?.key ?? (protocolMessage?.type === REVOKE ? protocolMessage.key : null);
  if (key) {
    const { id = "", fromMe = null, participant = null } = key;
    return { what: reactionMessage ? "react" : "delete", id: id ?? "", fromMe, participant, text: null };
  }
  const { contextInfo } = said.extendedTextMessage ?? fileOf(said)?.note.note ?? {};
  if (!contextInfo?.stanzaId) return null;
  const { stanzaId: id, participant = null, quotedMessage } = contextInfo;
  return { what: "quote", id, fromMe: null, participant, text: quotedMessage?.conversation ?? null };
}

/** A captioned document lies in an envelope. */
function fileOf(said: proto.IMessage): { note: FileNote; caption: string | null } | null {
  const inner = said.documentWithCaptionMessage?.message ?? said;
  const { imageMessage: image, videoMessage: video, audioMessage: audio, documentMessage: document } = inner;
  const plain = { voice: false, fileName: null, seconds: null };
  if (image) return { caption: image.caption ?? null, note: { ...plain, kind: "image", note: image } };
  if (video) {
    const { seconds = null, caption = null } = video;
    return { caption, note: { ...plain, seconds, kind: "video", note: video } };
  }
  if (audio) {
    const { seconds = null, ptt } = audio;
    return { caption: null, note: { ...plain, seconds, voice: ptt === true, kind: "audio", note: audio } };
  }
  if (!document) return null;
  const { fileName = null, caption = null } = document;
  return { caption, note: { ...plain, fileName, kind: "document", note: document } };
}

function react(world: World, account: Account, record: MessageRecord, person: Person): void {
  const settings = world.people.settingsOf(person.phone);
  const { deliversAfterMs, readsAfterMs, repliesWith, repliesAfterMs } = settings;
  const ids = [record.id];
  const later = (ms: number, act: () => void) => world.schedule.after(ms, act);
  if (deliversAfterMs !== null) later(deliversAfterMs, () => sendReceipt(world, account, person, { ids }));
  if (readsAfterMs !== null)
    later(readsAfterMs, () => sendReceipt(world, account, person, { ids, type: "read" }));
  if (repliesWith !== null) {
    later(repliesAfterMs, () => {
      sendText(world, person, account, repliesWith).catch((error: unknown) =>
        world.events.emit("problem", error),
      );
    });
  }
}

function forward(
  world: World,
  { account, device }: Sender,
  node: BinaryNode,
  to: Address,
  encrypted: Encrypted,
): void {
  const target = world.accounts.find(to.phone)?.devices.get(to.device);
  if (!target || target === device) return;
  const ownDevice = to.phone === account.phone;
  const attrs = {
    from: lidJid(account.lid, device.id),
    sender_pn: numberJid(account.phone),
    recipient: ownDevice ? node.attrs.to : undefined,
    addressing_mode: "lid",
    id: node.attrs.id,
    type: node.attrs.type,
    t: unixSeconds(world.schedule.now()),
    notify: world.people.nameOf(account.phone),
  };
  const enc = stanza("enc", { v: 2, type: encrypted.type }, encrypted.ciphertext);
  const identity = childOf(node, "device-identity");
  deliverToDevice(target, stanza("message", attrs, identity ? [enc, identity] : [enc]));
}

async function deliverToGroup(world: World, sender: Sender, node: BinaryNode, record: MessageRecord) {
  const group = world.groups.get(record.to);
  const shared = childrenOf(node, "enc").find((enc) => enc.attrs.type === "skmsg");
  if (!group || !shared) return;
  const from = deviceAddress(sender);
  const keys = new Map<string, Encrypted>();
  for (const { to, encrypted } of envelopes(world, node)) if (to.device === 0) keys.set(to.phone, encrypted);
  const first = !record.shown;
  for (const member of group.members) {
    if (member === sender.account.phone) continue;
    const person = world.people.get(member);
    const message = await openGroupText(world, person, group.id, from, keys.get(member), bytesOf(shared));
    if (!message) {
      world.ledger.counts.undecryptable += 1;
      record.undecryptable += 1;
    } else if (first) show(world, record, person, message);
  }
}

async function openGroupText(
  world: World,
  person: Person,
  group: string,
  from: DeviceAddress,
  key: Encrypted | undefined,
  ciphertext: Buffer,
): Promise<proto.IMessage | null> {
  if (!world.options.decrypt) return {};
  try {
    const opened = key && (await world.signal.decrypt(person, from, key));
    const senderKey = opened?.senderKeyDistributionMessage;
    if (senderKey) await world.signal.learnSenderKey(person, from, senderKey);
    return await world.signal.decryptFromGroup(person, group, from, ciphertext);
  } catch {
    return null;
  }
}
