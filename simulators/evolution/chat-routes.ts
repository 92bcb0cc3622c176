import { type Answer, created, invalid, ok, refuse, refuseWith } from "./answers.ts";
import type { Gateway } from "./gateway.ts";
import { arrived } from "./inbound.ts";
import type { Instance } from "./instance.ts";
import { createJid, GROUP } from "./jid.ts";
import type { MessageData, StoredMessage } from "./message-store.ts";
import { pictureUrl } from "./pictures.ts";
import type { PlainRequest, Request } from "./request.ts";

const NOT_ON_CHANNEL = "Method not available on Evolution Channel";

/** Recording 02. */
const CONNECTION_CLOSED = {
  data: null,
  isBoom: true,
  isServer: false,
  output: {
    statusCode: 428,
    payload: { statusCode: 428, error: "Precondition Required", message: "Connection Closed" },
    headers: {},
  },
};

/** Recording 09b. */
export function whatsappNumbers(gateway: Gateway, { instance, body }: Request): Answer {
  const flat = (message: unknown) => refuseWith(400, { status: 400, error: "Bad Request", message });
  const numbers = body.numbers as string[] | undefined;
  if (numbers?.length === 0) throw flat([["numbers does not meet minimum length of 1"]]);
  if (instance.integration === "EVOLUTION") throw flat([NOT_ON_CHANNEL]);
  if (!numbers) throw flat([['instance requires property "numbers"']]);
  if (instance.state !== "open") throw refuseWith(400, CONNECTION_CLOSED);
  return ok(
    numbers.map((number) => {
      const jid = createJid(number);
      if (jid.endsWith(GROUP)) return { jid, exists: gateway.groups.has(jid), number };
      const person = gateway.people.find(jid);
      if (!person) return { jid, exists: false, number };
      return {
        jid: person.jid,
        exists: true,
        number,
        ...(gateway.people.hasOwnLid(person.phone) && { lid: "lid" }),
      };
    }),
  );
}

const PAGE_SIZE = 50;

type Query = {
  page?: number;
  offset?: number;
  where?: {
    key?: { id?: string; remoteJid?: string; fromMe?: boolean };
    messageTimestamp?: { gte?: string; lte?: string };
    messageType?: string;
  };
};

/** `offset` is the page size (recording 04). */
export function findMessages(_gateway: Gateway, { instance, body }: Request): Answer {
  const { page = 1, offset = PAGE_SIZE, where = {} } = body as Query;
  const size = offset || PAGE_SIZE;
  const found = instance.messages.find({
    ...where.key,
    ...period(where.messageTimestamp),
    messageType: where.messageType,
  });
  const start = size * (Math.max(1, page) - 1);
  return ok({
    messages: {
      total: found.length,
      pages: Math.ceil(found.length / size),
      currentPage: page,
      records: found.slice(start, start + size).map(messageRow),
    },
  });
}

/** Applies only with both bounds (from the source). */
function period(timestamp: { gte?: string; lte?: string } | undefined): { from?: number; to?: number } {
  if (!timestamp?.gte || !timestamp.lte) return {};
  const seconds = (text: string) => Math.floor(Date.parse(text) / 1000);
  return { from: seconds(timestamp.gte), to: seconds(timestamp.lte) };
}

function messageRow({ rowId: id, data, statuses }: StoredMessage) {
  return {
    id,
    key: data.key,
    pushName: data.pushName ?? null,
    messageType: data.messageType,
    message: data.message,
    messageTimestamp: data.messageTimestamp,
    instanceId: data.instanceId,
    source: data.source,
    contextInfo: data.contextInfo ?? null,
    MessageUpdate: statuses.map(({ status }) => ({ status })),
  };
}

export function getBase64FromMediaMessage(_gateway: Gateway, { instance, body }: Request): Answer {
  if (instance.integration === "EVOLUTION") throw refuse(400, [NOT_ON_CHANNEL]);
  const { message } = body as { message?: { key?: { id?: string } } };
  const id = message?.key?.id ?? "";
  const [stored] = instance.messages.find({ id });
  if (!stored) throw refuse(400, ["Message not found"]);
  if (instance.state !== "open") throw refuse(400, ["Error: Connection Closed"]);
  if (!stored.data.messageType?.endsWith("Message"))
    throw refuse(400, ["The message is not of the media type"]);
  const media = instance.files.get(id);
  if (!media) throw refuse(400, ["Error: Media re-upload failed by device (NOT_FOUND)"]);
  const { kind, bytes, mimetype, fileName = `${id}.bin` } = media;
  return created({
    mediaType: `${kind}Message`,
    fileName,
    size: { fileLength: { low: bytes.length, high: 0, unsigned: true } },
    mimetype,
    base64: bytes.toString("base64"),
    buffer: null,
  });
}

export function findStatusMessage(_gateway: Gateway, { instance, body }: Request): Answer {
  const { where = {} } = body as { where?: { id?: string; remoteJid?: string } };
  const rows = instance.messages.find({ id: where.id }).flatMap(({ rowId: messageId, data, statuses }) =>
    statuses.map(({ id, status, remoteJid }) => ({
      id,
      keyId: data.key.id,
      remoteJid,
      fromMe: data.key.fromMe,
      participant: null,
      pollUpdates: null,
      status,
      messageId,
      instanceId: data.instanceId,
    })),
  );
  return ok(rows.filter((row) => !where.remoteJid || row.remoteJid === where.remoteJid));
}

const DAY = 86_400_000;

/** Recording 04. */
export function findChats(_gateway: Gateway, { instance, body }: Request): Answer {
  const { where = {} } = body as { where?: { remoteJid?: string } };
  const wanted = where.remoteJid && createJid(where.remoteJid);
  const chats = [...instance.messages.chats()]
    .filter(([remoteJid]) => !wanted || remoteJid === wanted || remoteJid === where.remoteJid)
    .map(([remoteJid, messages]) => ({ remoteJid, last: messages.at(-1) as StoredMessage }));
  chats.sort((a, b) => b.last.data.messageTimestamp - a.last.data.messageTimestamp);
  return ok(chats.map(({ remoteJid, last }) => chatRow(instance, remoteJid, last)));
}

function chatRow(instance: Instance, remoteJid: string, { rowId: id, data, statuses }: StoredMessage) {
  const contact = instance.contacts.get(remoteJid);
  const at = data.messageTimestamp * 1000;
  // A person who never wrote has no chat: the row is half empty.
  const isChat = instance.chats.has(remoteJid);
  return {
    id: contact?.id ?? null,
    remoteJid,
    pushName: instance.integration === "EVOLUTION" ? null : (contact?.pushName ?? null),
    profilePicUrl: contact?.profilePicUrl ?? null,
    updatedAt: new Date(at).toISOString(),
    windowStart: isChat ? new Date(at).toISOString() : null,
    windowExpires: isChat ? new Date(at + DAY).toISOString() : null,
    windowActive: isChat,
    lastMessage: {
      id,
      key: data.key,
      pushName: data.key.fromMe ? "Você" : (data.pushName ?? null),
      participant: data.key.participant || null,
      messageType: data.messageType,
      message: data.message,
      contextInfo: data.contextInfo ?? null,
      source: data.source,
      messageTimestamp: data.messageTimestamp,
      instanceId: data.instanceId,
      sessionId: null,
      status: statuses.at(-1)?.status ?? null,
    },
    unreadCount: isChat ? 0 : null,
    isSaved: contact !== undefined,
  };
}

export function findContacts(_gateway: Gateway, { instance, body }: Request): Answer {
  const { where = {} } = body as { where?: { remoteJid?: string } };
  const rows = [...instance.contacts.values()].filter(
    ({ remoteJid }) => !where.remoteJid || remoteJid === createJid(where.remoteJid),
  );
  return ok(
    rows.map((row) => {
      const isGroup = row.remoteJid.endsWith(GROUP);
      const isSaved = row.pushName !== null;
      const type = isGroup ? "group" : isSaved ? "contact" : "group_member";
      return { ...row, instanceId: instance.id, isGroup, isSaved, type };
    }),
  );
}

const PRESENCES = ["unavailable", "available", "composing", "recording", "paused"];

/** From the source; the EVOLUTION channel's refusal: recording 07a. */
export async function sendPresence(gateway: Gateway, { instance, body }: Request): Promise<Answer> {
  if (instance.integration === "EVOLUTION") throw refuse(400, [NOT_ON_CHANNEL]);
  const { number, presence, delay } = body as { number?: string; presence?: string; delay?: number };
  const missing = Object.entries({ number, presence, delay }).filter(([, value]) => value === undefined);
  if (missing.length > 0) throw invalid(...missing.map(([field]) => `instance requires property "${field}"`));
  if (!PRESENCES.includes(presence ?? ""))
    throw invalid(`presence is not one of enum values: ${PRESENCES.join()}`);
  if (instance.state !== "open") throw refuse(400, ["Error: Connection Closed"]);
  const person = gateway.people.find(createJid(number ?? ""));
  if (!person) throw refuse(400, [{ jid: createJid(number ?? ""), exists: false, number }]);
  const show = (shown: string) =>
    gateway.presences.push({
      instance: instance.name,
      jid: person.jid,
      presence: shown,
      at: gateway.clock.now(),
    });
  show(presence ?? "");
  await gateway.clock.sleep(delay ?? 0);
  show("paused");
  return created({ presence });
}

export function fetchProfilePictureUrl(gateway: Gateway, { instance, body }: Request): Answer {
  const wuid = createJid((body.number as string | undefined) ?? "");
  const person = instance.state === "open" ? gateway.people.find(wuid) : null;
  return ok({ wuid, profilePictureUrl: person?.picture ? pictureUrl(gateway.url, person.phone) : null });
}

/** Open without a key (recordings 04, 07a). */
export function evolutionInbound(gateway: Gateway, { body }: PlainRequest): Answer {
  const { numberId, key, message, messageType, pushName, profilePicUrl } = body as {
    numberId?: string;
    key?: MessageData["key"];
    message?: Record<string, unknown>;
    messageType?: string;
    pushName?: string;
    profilePicUrl?: string;
  };
  // The first with the number (recording 04).
  const instance = [...gateway.instances.values()].find(
    (one) => numberId !== undefined && one.number === numberId,
  );
  if (!instance) return ok("");
  if (!key) return ok({ status: "success" });
  const data: MessageData = {
    key: { ...key, ...(profilePicUrl !== undefined && { profilePicUrl }) },
    ...(pushName !== undefined && { pushName }),
    message: message ?? {},
    ...(messageType !== undefined && { messageType }),
    messageTimestamp: Math.floor(gateway.clock.now() / 1000),
    instanceId: instance.id,
    source: "unknown",
  };
  arrived(gateway, instance, data, null);
  return ok({ status: "success" });
}
