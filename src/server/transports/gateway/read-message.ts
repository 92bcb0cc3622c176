import { readChatId } from "../../../domain/chat-id.ts";
import { innermost, type MessageContent, readContent, readQuoted } from "../content/message-content.ts";
import { cleanText, readNumber, textAt, valueAt } from "../content/own-values.ts";
import { fileIn } from "../content/said-file.ts";
import type { IncomingFile, IncomingMessage, Receipt } from "../transport.ts";

/** WhatsApp's limit is 65,536. */
const LONGEST_TEXT = 65_536;
const LONGEST_NAME = 120;
const LONGEST_ID = 200;
/** Bytes; larger ones are fetched. */
const LARGEST_BROUGHT = 8 * 1024 * 1024;

/** WhatsApp is younger than this. */
const EARLIEST_S = Date.UTC(2009, 0, 1) / 1000;
/** Accepted lead of a gateway's clock. */
const AHEAD_MS = 5 * 60_000;

/** `none`: no chat shows it. `malformed`: no id or chat. */
export type ReadMessage =
  | { kind: "message"; message: IncomingMessage }
  | { kind: "none" }
  | { kind: "malformed" };

/**
 * From a webhook, a send's answer or the store. `remoteJid` and `remoteJidAlt` may each be the LID;
 * `receivedAt` replaces an impossible time.
 */
export function readMessage(
  record: unknown,
  { receivedAt, viaApi }: { receivedAt: Date; viaApi: boolean },
): ReadMessage {
  const id = textAt(record, "key", "id");
  const remote = textAt(record, "key", "remoteJid");
  if (id === null || id.length > LONGEST_ID || remote === null) return { kind: "malformed" };
  const chat = chatOf(record, remote);
  const deleted = revoked(valueAt(record, "message"));
  const edit = edited(valueAt(record, "message"));
  const content =
    deleted ??
    (edit
      ? readContent(edit.content, null)
      : readContent(valueAt(record, "message"), textAt(record, "messageType")));
  if (chat.length === 0 || !content) return { kind: "none" };
  const fromMe = valueAt(record, "key", "fromMe") === true;
  const pushName = fromMe ? null : textAt(record, "pushName");
  const inGroup = chat.some((address) => address.endsWith("@g.us"));
  const quoted = content.quotedId ?? textAt(record, "contextInfo", "stanzaId");
  return {
    kind: "message",
    message: {
      providerId: cleanText(id, LONGEST_ID),
      chat,
      fromMe,
      kind: content.kind,
      viaApi: viaApi && fromMe,
      pushName: pushName === null ? null : cleanText(pushName, LONGEST_NAME),
      participant: inGroup && !fromMe ? participantOf(record) : null,
      text: cleanText(content.text, LONGEST_TEXT),
      file: fileOf(record),
      quotedId: quoted === null ? null : cleanText(quoted, LONGEST_ID),
      ...(content.quoted ? { quoted: content.quoted } : readQuoted(valueAt(record, "contextInfo"))),
      ...(content.details ? { details: content.details } : {}),
      ...(deleted === null ? {} : { deletes: deleted.deletes }),
      ...(edit === null ? {} : { edits: edit.id }),
      at: timeOf(valueAt(record, "messageTimestamp"), receivedAt),
    },
  };
}

const deletion = (id: string) => ({
  kind: "other" as const,
  text: "",
  quotedId: null,
  deletes: cleanText(id, LONGEST_ID),
});

function revoked(message: unknown): (MessageContent & { deletes: string }) | null {
  const protocol = valueAt(innermost(message), "protocolMessage");
  const type = valueAt(protocol, "type");
  const id = textAt(protocol, "key", "id");
  return id !== null && (type === "REVOKE" || type === 0) ? deletion(id) : null;
}

const MESSAGE_EDIT = 14;

function edited(message: unknown): { id: string; content: unknown } | null {
  const protocol = valueAt(innermost(message), "protocolMessage");
  const type = valueAt(protocol, "type");
  const id = textAt(protocol, "key", "id");
  const content = valueAt(protocol, "editedMessage");
  const isEdit = type === "MESSAGE_EDIT" || type === MESSAGE_EDIT;
  return isEdit && id !== null && content != null ? { id: cleanText(id, LONGEST_ID), content } : null;
}

export function readDeletion(record: unknown, at: Date): IncomingMessage | null {
  const row = valueAt(record, "key") === undefined ? { key: record } : record;
  const id = textAt(row, "key", "id");
  const read = readMessage(
    { ...(row as object), message: { conversation: "-" } },
    { receivedAt: at, viaApi: false },
  );
  if (id === null || read.kind !== "message") return null;
  return { ...read.message, ...deletion(id), providerId: `deleted:${id}`, pushName: null, file: null, at };
}

/**
 * The last is the LID that early 2.3 versions replaced by the number; messages typed on the phone have it
 * only there.
 */
const OTHER_NAMES = ["remoteJidAlt", "senderPn", "senderLid", "previousRemoteJid"];

/** All known addresses of the other side; empty without a chat. */
export function chatOf(record: unknown, remote: string): string[] {
  const first = address(remote);
  if (first?.endsWith("@g.us")) return [first];
  // The other name may be a person's.
  const others = OTHER_NAMES.map((name) => textAt(record, "key", name));
  const named = [first, ...others.map((one) => (one === null ? null : address(one)))];
  const people = named.filter((one) => one !== null && !one.endsWith("@g.us"));
  return first === null && /broadcast|newsletter/.test(remote) ? [] : [...new Set(people.map(String))];
}

/** The group writer, by number if known. */
function participantOf(record: unknown): string | null {
  const names = ["participantAlt", "participantPn", "participant", "participantLid"];
  const participants = names.flatMap((name) => address(textAt(record, "key", name) ?? "") ?? []);
  return participants.find((one) => readChatId(one).kind === "phone") ?? participants[0] ?? null;
}

/** EVOLUTION passes typed numbers on without a server part. */
function address(text: string): string | null {
  const digits = text.replace(/[\s+().-]/g, "");
  const full = /^\d{5,15}$/.test(digits) ? `${digits}@s.whatsapp.net` : text;
  return readChatId(full).kind === "none" ? null : full;
}

function fileOf(record: unknown): IncomingFile | null {
  const found = fileIn(valueAt(record, "message"), textAt(record, "messageType"));
  return found && { ...found.said, source: null, content: contentOf(record) };
}

function contentOf(record: unknown): Uint8Array | null {
  const base64 = textAt(record, "message", "base64");
  return base64 === null ? null : readBase64(base64, LARGEST_BROUGHT);
}

export function readBase64(text: string, most: number): Buffer | null {
  const base64 = text.replace(/^data:[^,]{1,100},/, "");
  if (base64 === "" || base64.length > (most * 4) / 3 + 4) return null;
  const bytes = Buffer.from(base64, "base64");
  // At most two padding characters: an unlimited pattern would search to the end from each of millions.
  const whole = Math.floor((base64.replace(/={1,2}$/, "").length * 3) / 4) === bytes.length;
  return whole && bytes.length > 0 && bytes.length <= most ? bytes : null;
}

/** Seconds or milliseconds; impossible times become the time of receipt. */
function timeOf(value: unknown, receivedAt: Date): Date {
  const number = readNumber(value) ?? 0;
  const seconds = number > 1e11 ? number / 1000 : number;
  const latest = receivedAt.getTime() + AHEAD_MS;
  if (seconds < EARLIEST_S || seconds * 1000 > latest) return receivedAt;
  return new Date(Math.min(seconds * 1000, receivedAt.getTime()));
}

const STATUSES: Readonly<Record<string, Receipt["status"]>> = {
  ERROR: "error",
  SERVER_ACK: "accepted",
  DELIVERY_ACK: "delivered",
  READ: "read",
  PLAYED: "read",
  // Meta's names (Cloud API).
  SENT: "accepted",
  DELIVERED: "delivered",
  FAILED: "error",
};
/** WhatsApp's numbers, from 1.8. */
const NUMBERED = ["ERROR", "PENDING", "SERVER_ACK", "DELIVERY_ACK", "READ", "PLAYED"];

/** Null for those without meaning (PENDING, DELETED). */
export function readStatus(value: unknown): Receipt["status"] | null {
  const name = typeof value === "number" ? NUMBERED[value] : value;
  return typeof name === "string" && Object.hasOwn(STATUSES, name) ? (STATUSES[name] ?? null) : null;
}
