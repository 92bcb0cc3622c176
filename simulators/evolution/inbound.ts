import type { Gateway, Group } from "./gateway.ts";
import { phoneId, rowId } from "./identifiers.ts";
import type { Instance } from "./instance.ts";
import { GROUP, STATUS } from "./jid.ts";
import { quotedContext, type ReceivedMedia, receivedMediaMessage } from "./message-shapes.ts";
import type { MessageData, MessageKey } from "./message-store.ts";
import type { Person } from "./people.ts";
import { pictureUrl } from "./pictures.ts";

export type Inbound = {
  text?: string;
  media?: Omit<ReceivedMedia, "caption">;
  raw?: { messageType: string; message: Record<string, unknown> };
};

export type InboundDetails = {
  id?: string;
  quoted?: string;
  group?: string;
  status?: boolean;
  pushName?: string | null;
  /**
   * LID form: `true` beside the number; `"replaced"` the number twice with `addressingMode: "lid"` (recording
   * 09d); `"only"` without the number.
   */
  asLid?: boolean | "replaced" | "only";
};

/** Delivery waits while the instance is away. */
export function receive(
  gateway: Gateway,
  instance: Instance,
  person: Person,
  content: Inbound,
  details: InboundDetails = {},
): string {
  const id = details.id ?? phoneId();
  const data = inboundData(gateway, instance, person, id, content, details);
  const arrive = () => arrived(gateway, instance, data, person);
  if ((instance.state === "open" && !gateway.ended) || instance.integration === "EVOLUTION") arrive();
  else instance.missed.push(arrive);
  return id;
}

export const receiveText = (gateway: Gateway, instance: Instance, person: Person, text: string) =>
  receive(gateway, instance, person, { text });

/** Recordings 07b, 09d. */
export function typeOnPhone(
  gateway: Gateway,
  instance: Instance,
  to: Person | Group,
  content: Inbound,
  details: Pick<InboundDetails, "id" | "quoted" | "asLid"> = {},
): string {
  const id = details.id ?? phoneId();
  const group = "subject" in to;
  const asLid = !group && details.asLid === true;
  const key: MessageKey =
    instance.integration === "EVOLUTION"
      ? { id, remoteJid: group ? to.jid : to.phone, fromMe: true }
      : {
          remoteJid: asLid ? to.lidJid : to.jid,
          ...(!group && { remoteJidAlt: asLid ? to.jid : to.lidJid }),
          fromMe: true,
          id,
          participant: "",
          addressingMode: asLid ? "lid" : "pn",
        };
  const pushName = instance.profileName ?? "Você";
  const data = { ...body(gateway, instance, key, content, details.quoted), pushName };
  arrived(gateway, instance, { ...data, status: "SERVER_ACK" }, null);
  return id;
}

function inboundData(
  gateway: Gateway,
  instance: Instance,
  person: Person,
  id: string,
  content: Inbound,
  details: InboundDetails,
): MessageData {
  const key = instance.integration === "EVOLUTION" ? channelKey(person, id) : inboundKey(person, id, details);
  const data = body(gateway, instance, key, content, details.quoted);
  const pushName = details.pushName === undefined ? person.name : details.pushName;
  const { key: first, ...rest } = data;
  if (instance.integration === "EVOLUTION") return { key: first, pushName, ...rest };
  return { key: first, pushName, status: "DELIVERY_ACK", ...rest };
}

/** Recording 07b. */
const channelKey = (person: Person, id: string): MessageKey => ({
  id,
  remoteJid: person.phone,
  fromMe: false,
});

function inboundKey(person: Person, id: string, { group, status, asLid }: InboundDetails): MessageKey {
  const mode = asLid ? "lid" : "pn";
  if (group !== undefined || status)
    return {
      remoteJid: group ?? STATUS,
      fromMe: false,
      id,
      participant: asLid ? person.lidJid : person.jid,
      participantAlt: asLid ? person.jid : person.lidJid,
      addressingMode: mode,
    };
  const number = asLid === "replaced" || !asLid;
  return {
    remoteJid: number ? person.jid : person.lidJid,
    ...(asLid !== "only" && { remoteJidAlt: asLid ? person.jid : person.lidJid }),
    fromMe: false,
    id,
    participant: "",
    addressingMode: mode,
  };
}

function body(
  gateway: Gateway,
  instance: Instance,
  key: MessageKey,
  { text, media, raw }: Inbound,
  quoted: string | undefined,
): MessageData {
  const seconds = Math.floor(gateway.clock.now() / 1000);
  const base64 = instance.webhook?.webhookBase64 ?? false;
  if (media) instance.files.set(key.id, media);
  const message = media
    ? receivedMediaMessage({ ...media, caption: text }, seconds, base64)
    : (raw?.message ?? { conversation: text ?? "" });
  return {
    key,
    message,
    ...(quoted !== undefined && { contextInfo: answered(instance, quoted) }),
    messageType: media ? `${media.kind}Message` : (raw?.messageType ?? "conversation"),
    messageTimestamp: seconds,
    instanceId: instance.id,
    source: instance.integration === "EVOLUTION" ? "unknown" : "ios",
  };
}

function answered(instance: Instance, quoted: string) {
  const [original] = instance.messages.find({ id: quoted });
  const text = original?.data.message.conversation;
  return quotedContext(quoted, instance.ownerJid ?? "", typeof text === "string" ? text : "");
}

/** Recordings 07b, 09d. A repeated id is dropped, except by EVOLUTION (04). */
export function arrived(
  gateway: Gateway,
  instance: Instance,
  data: MessageData,
  person: Person | null,
): void {
  const { remoteJid } = data.key;
  const channel = instance.integration === "EVOLUTION";
  if (!channel && instance.messages.has(data.key.id)) return;
  if (instance.settings.groupsIgnore && remoteJid.endsWith(GROUP)) return;
  // Without a type it is posted but not stored (recording 04).
  if (data.messageType !== undefined)
    instance.messages.add({ rowId: rowId(), data: withoutBase64(data), statuses: [] });
  void gateway.webhooks.emit(instance, "messages.upsert", data);
  if (remoteJid === STATUS) return;
  tellContact(gateway, instance, remoteJid, data, person);
}

/** The file is only in the webhook. */
function withoutBase64(data: MessageData): MessageData {
  const { base64: _left, ...message } = data.message;
  return { ...data, message };
}

function tellContact(
  gateway: Gateway,
  instance: Instance,
  remoteJid: string,
  { key, pushName }: MessageData,
  person: Person | null,
): void {
  const channel = instance.integration === "EVOLUTION";
  const instanceId = instance.id;
  const emit = (event: string, content: unknown) => void gateway.webhooks.emit(instance, event, content);
  const known = instance.contacts.has(remoteJid);
  const given = (key as { profilePicUrl?: string }).profilePicUrl;
  const picture = given ?? (person?.picture ? pictureUrl(gateway.url, person.phone) : undefined);
  noteContact(gateway, instance, remoteJid, key.fromMe ? null : pushName, picture);
  if (channel || (!known && !key.fromMe))
    emit("contacts.upsert", {
      remoteJid,
      ...(pushName && { pushName }),
      instanceId,
      ...(given !== undefined && { profilePicUrl: given }),
    });
  if (channel) {
    emit(instance.chats.has(remoteJid) ? "chats.update" : "chats.upsert", { remoteJid, instanceId });
    instance.chats.add(remoteJid);
    return;
  }
  // A LID replaced by its number still appears here (recordings 09b, 09d).
  const hidden = key.addressingMode === "lid" && !remoteJid.endsWith(GROUP) ? person?.lidJid : undefined;
  if (hidden !== undefined) noteContact(gateway, instance, hidden, null, undefined);
  const shown = hidden ?? remoteJid;
  instance.chats.add(shown);
  emit("chats.update", [{ remoteJid: shown, instanceId }]);
  emit("contacts.update", [{ remoteJid: shown, instanceId }]);
}

function noteContact(
  gateway: Gateway,
  instance: Instance,
  remoteJid: string,
  pushName: string | null | undefined,
  picture: string | undefined,
): void {
  const at = gateway.clock.iso();
  const known = instance.contacts.get(remoteJid);
  instance.contacts.set(remoteJid, {
    id: known?.id ?? rowId(),
    remoteJid,
    pushName: pushName || (known?.pushName ?? null),
    profilePicUrl: picture ?? known?.profilePicUrl ?? null,
    createdAt: known?.createdAt ?? at,
    updatedAt: at,
  });
}
