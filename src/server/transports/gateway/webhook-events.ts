import { readChatId } from "../../../domain/chat-id.ts";
import { cleanText, readNumber, textAt, valueAt } from "../content/own-values.ts";
import type { IncomingMessage, Receipt } from "../transport.ts";
import { phoneOf } from "./instance-rows.ts";
import { readDeletion, readMessage, readStatus } from "./read-message.ts";

export type WebhookContent =
  /** Empty if no chat shows them. */
  | { kind: "messages"; messages: IncomingMessage[] }
  /** `read`: messages of others read on the phone. */
  | { kind: "receipts"; receipts: Receipt[]; read: string[] }
  | {
      kind: "state";
      state: string;
      /** 401: the device was removed. */
      reason: number | null;
      phone: string | null;
      profileName: string | null;
      pictureUrl: string | null;
    }
  | { kind: "qr"; code: string; pairingCode: string | null }
  /** No more codes until requested again. */
  | { kind: "qr_limit" }
  | { kind: "ignored" }
  | { kind: "unknown" }
  | { kind: "malformed" };

export type WebhookEvent = {
  /** Lower case with dots: `messages.upsert`. */
  event: string | null;
  /** What counts is the webhook address it was posted to. */
  instance: string | null;
  /** Gateway's clock, perhaps local time marked as UTC: only for order among events. */
  stamp: Date;
  content: WebhookContent;
};

const OF_META = "wamid.";

/** A time zone: gateways write local time as UTC. */
const AHEAD_MS = 15 * 3_600_000;
/** Trusted if this near; a time zone differs by more. */
const NEAR_MS = 25 * 60_000;

/** Of 2.3.7 (recording 05, «webhook/set empty events = all»). */
const KNOWN = new Set([
  "application.startup",
  "instance.create",
  "instance.delete",
  "status.instance",
  "logout.instance",
  "remove.instance",
  "messages.set",
  "messages.edited",
  "send.message.update",
  "contacts.set",
  "contacts.upsert",
  "contacts.update",
  "presence.update",
  "chats.set",
  "chats.upsert",
  "chats.update",
  "chats.delete",
  "groups.upsert",
  "group.update",
  "groups.update",
  "group.participants.update",
  "labels.edit",
  "labels.association",
  "call",
  "typebot.start",
  "typebot.change.status",
  "new.token",
  "errors",
]);

/**
 * Recordings 07b, 08, 09d. Never throws: unreadable is `malformed`. `receivedAt` replaces impossible times.
 */
export function readWebhook(body: unknown, receivedAt: Date): WebhookEvent {
  const event = nameOf(valueAt(body, "event"));
  const stamp = stampOf(valueAt(body, "date_time"), receivedAt);
  const content = event === null ? malformed : contentOf(event, valueAt(body, "data"), stamp, receivedAt);
  return {
    event,
    stamp,
    content,
    instance: textAt(body, "instance"),
  };
}

const malformed: WebhookContent = { kind: "malformed" };

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
    case "messages.delete":
      return readDeletions(data, near(stamp, receivedAt));
    case "connection.update":
      return readState(data);
    case "qrcode.updated":
      return readQr(data);
    default:
      return { kind: KNOWN.has(event) ? "ignored" : "unknown" };
  }
}

/** One, a list, or (older) a list under `messages`. */
function readMessages(data: unknown, receivedAt: Date, viaApi: boolean): WebhookContent {
  const list = valueAt(data, "messages") ?? data;
  const read = (Array.isArray(list) ? list : [list]).map((one) => readMessage(one, { receivedAt, viaApi }));
  const messages = read.flatMap((one) => (one.kind === "message" ? [one.message] : []));
  if (messages.length === 0 && read.every((one) => one.kind === "malformed")) return malformed;
  return { kind: "messages", messages };
}

function readDeletions(data: unknown, at: Date): WebhookContent {
  const list = Array.isArray(data) ? data : [data];
  return { kind: "messages", messages: list.flatMap((one) => readDeletion(one, at) ?? []) };
}

/** `keyId` is WhatsApp's id (`messageId` the gateway's row); 1.8: `id`. */
function readUpdates(data: unknown, at: Date): WebhookContent {
  const list = Array.isArray(data) ? data : [data];
  const ids = list.map((one) => textAt(one, "keyId") ?? textAt(one, "key", "id") ?? textAt(one, "id"));
  if (ids.every((id) => id === null)) return malformed;
  const entries = list.flatMap((one, index) => {
    const messageId = ids[index];
    const status = readStatus(valueAt(one, "status"));
    const fromMe = valueAt(one, "fromMe") ?? valueAt(one, "key", "fromMe");
    // Meta reports only ours, marked as others' before 2.4.
    const ours = fromMe !== false || messageId?.startsWith(OF_META) === true;
    return messageId && status
      ? [{ ours, receipt: { messageId: cleanText(messageId, 200), status, at, ...hiddenIn(one) } }]
      : [];
  });
  return {
    kind: "receipts",
    receipts: entries.flatMap(({ ours, receipt }) => (ours ? receipt : [])),
    // One of our devices has read these.
    read: entries.flatMap(({ ours, receipt }) =>
      !ours && receipt.status === "read" ? receipt.messageId : [],
    ),
  };
}

/** LID of the recipient of a message sent to a number. */
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

/** As far as a clock of another time zone can be trusted. */
function near(stamp: Date, receivedAt: Date): Date {
  const far = Math.abs(receivedAt.getTime() - stamp.getTime()) > NEAR_MS;
  return far || stamp > receivedAt ? receivedAt : stamp;
}
