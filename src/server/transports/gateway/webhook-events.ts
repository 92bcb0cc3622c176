import { readChatId } from "../../../domain/chat-id.ts";
import { cleanText, readNumber, textAt, valueAt } from "../content/own-values.ts";
import type { IncomingMessage, Receipt } from "../transport.ts";
import { readMessage, readStatus } from "./read-message.ts";
import { phoneOf } from "./shapes.ts";

/** What an event of a gateway tells us. */
export type WebhookContent =
  /** Messages of chats; empty where what came is nothing that a chat shows. */
  | { kind: "messages"; messages: IncomingMessage[] }
  /** `read`: messages of others that were read on the phone. */
  | { kind: "receipts"; receipts: Receipt[]; read: string[] }
  | {
      kind: "state";
      /** `open`, `connecting`, `close`, `refused`, or whatever else it says. */
      state: string;
      /** WhatsApp's code; 401: the device was removed. */
      reason: number | null;
      phone: string | null;
      profileName: string | null;
      pictureUrl: string | null;
    }
  | { kind: "qr"; code: string; pairingCode: string | null }
  /** No more QR codes until somebody asks anew. */
  | { kind: "qr_limit" }
  /** Known, and of no use to us. */
  | { kind: "ignored" }
  | { kind: "unknown" }
  | { kind: "malformed" };

export type WebhookEvent = {
  /** The event's name in lower case with dots (`messages.upsert`), however it was written. */
  event: string | null;
  /** Which instance it says it is about: what counts is whose address it was posted to. */
  instance: string | null;
  /** The event's own time by the gateway's clock, which may be local time marked as UTC: good for an order among them, not for more. */
  stamp: Date;
  content: WebhookContent;
};

/** Ids that Meta gives. */
const OF_META = "wamid.";

/** Gateways write local time as UTC, so a stamp may lie ahead by a time zone; more than that is no time. */
const AHEAD_MS = 15 * 3_600_000;
/** An event that says it happened this near to when it came is believed; a time zone is at least as far. */
const NEAR_MS = 25 * 60_000;

/** Every event that 2.3.7 can post, beside those read below (recording 05, «webhook/set empty events = all»). */
const KNOWN = new Set([
  ...["application.startup", "instance.create", "instance.delete", "status.instance", "logout.instance"],
  ...["remove.instance", "messages.set", "messages.edited", "messages.delete", "send.message.update"],
  ...["contacts.set", "contacts.upsert", "contacts.update", "presence.update", "chats.set", "chats.upsert"],
  ...["chats.update", "chats.delete", "groups.upsert", "group.update", "groups.update"],
  ...["group.participants.update", "labels.edit", "labels.association", "call", "typebot.start"],
  ...["typebot.change.status", "new.token", "errors"],
]);

/**
 * Reads the body of a webhook of the Evolution API (envelope and payloads as in recordings 07b, 08, 09d). Never throws: what cannot be
 * read is `malformed`. `receivedAt`: when the body arrived; it stands in for times that cannot be.
 */
export function readWebhook(body: unknown, receivedAt: Date): WebhookEvent {
  const event = nameOf(valueAt(body, "event"));
  const stamp = stampOf(valueAt(body, "date_time"), receivedAt);
  const content = event === null ? malformed : contentOf(event, valueAt(body, "data"), stamp, receivedAt);
  return {
    ...{ event, stamp, content },
    instance: textAt(body, "instance"),
  };
}

const malformed: WebhookContent = { kind: "malformed" };

/** `MESSAGES_UPSERT` and `messages-upsert` are the same as `messages.upsert`. */
function nameOf(value: unknown): string | null {
  if (typeof value !== "string" || !/^[\w.-]{1,60}$/.test(value)) return null;
  return value.toLowerCase().replace(/[_-]/g, ".");
}

function contentOf(event: string, data: unknown, stamp: Date, receivedAt: Date): WebhookContent {
  switch (event) {
    case "messages.upsert":
      return readMessages(data, receivedAt, false);
    case "send.message":
      return readMessages(data, receivedAt, true);
    case "messages.update":
      return readUpdates(data, near(stamp, receivedAt));
    case "connection.update":
      return readState(data);
    case "qrcode.updated":
      return readQr(data);
    default:
      return { kind: KNOWN.has(event) ? "ignored" : "unknown" };
  }
}

/** One message, a list, or (older ones) a list under `messages`. */
function readMessages(data: unknown, receivedAt: Date, viaApi: boolean): WebhookContent {
  const list = valueAt(data, "messages") ?? data;
  const read = (Array.isArray(list) ? list : [list]).map((one) => readMessage(one, { receivedAt, viaApi }));
  const messages = read.flatMap((one) => (one.kind === "message" ? [one.message] : []));
  if (messages.length === 0 && read.every((one) => one.kind === "malformed")) return malformed;
  return { kind: "messages", messages };
}

/** `keyId` is WhatsApp's id of the message (`messageId` the gateway's own row); 1.8 names it `id`. */
function readUpdates(data: unknown, at: Date): WebhookContent {
  const list = Array.isArray(data) ? data : [data];
  const ids = list.map((one) => textAt(one, "keyId") ?? textAt(one, "key", "id") ?? textAt(one, "id"));
  if (ids.every((id) => id === null)) return malformed;
  const told = list.flatMap((one, index) => {
    const messageId = ids[index];
    const status = readStatus(valueAt(one, "status"));
    const fromMe = valueAt(one, "fromMe") ?? valueAt(one, "key", "fromMe");
    // Meta tells only of ours, which its channel calls others' before 2.4.
    const ours = fromMe !== false || messageId?.startsWith(OF_META) === true;
    return messageId && status
      ? [{ ours, receipt: { messageId: cleanText(messageId, 200), status, at, ...hiddenIn(one) } }]
      : [];
  });
  return {
    kind: "receipts",
    receipts: told.flatMap(({ ours, receipt }) => (ours ? receipt : [])),
    // Of others' messages a gateway tells that one of our devices has read them.
    read: told.flatMap(({ ours, receipt }) => (!ours && receipt.status === "read" ? receipt.messageId : [])),
  };
}

/** Whose chat it is in, where that is a hidden address: of a message that went to a number it says who has it. */
function hiddenIn(update: unknown): { lid?: string } {
  const id = readChatId(textAt(update, "remoteJid") ?? textAt(update, "key", "remoteJid") ?? "");
  return id.kind === "lid" ? { lid: id.lid } : {};
}

function readState(data: unknown): WebhookContent {
  const state = textAt(data, "state");
  if (state === null) return malformed;
  const name = textAt(data, "profileName");
  return {
    kind: "state",
    state: cleanText(state, 60),
    reason: readNumber(valueAt(data, "statusReason")),
    phone: phoneOf(textAt(data, "wuid")),
    profileName: name === null ? null : cleanText(name, 120),
    pictureUrl: webAddress(textAt(data, "profilePictureUrl")),
  };
}

function readQr(data: unknown): WebhookContent {
  const code = textAt(data, "qrcode", "code") ?? textAt(data, "code");
  if (code !== null) {
    const pairingCode = textAt(data, "qrcode", "pairingCode") ?? textAt(data, "pairingCode");
    return { kind: "qr", code: cleanText(code, 2_000), pairingCode };
  }
  return valueAt(data, "statusCode") === undefined && valueAt(data, "message") === undefined
    ? malformed
    : { kind: "qr_limit" };
}

function webAddress(text: string | null): string | null {
  return text !== null && text.length <= 2_048 && /^https?:\/\//i.test(text) ? text : null;
}

function stampOf(value: unknown, receivedAt: Date): Date {
  const at = typeof value === "string" ? Date.parse(value) : Number.NaN;
  const latest = receivedAt.getTime() + AHEAD_MS;
  return Number.isNaN(at) || at > latest || at < Date.UTC(2009) ? receivedAt : new Date(at);
}

/** When something happened, as far as a clock of another time zone can be believed. */
function near(stamp: Date, receivedAt: Date): Date {
  const far = Math.abs(receivedAt.getTime() - stamp.getTime()) > NEAR_MS;
  return far || stamp > receivedAt ? receivedAt : stamp;
}
