import { readChatId } from "../../../domain/chat-id.ts";
import { readContent } from "../content/message-content.ts";
import { cleanText, readNumber, textAt, valueAt } from "../content/own-values.ts";
import type { IncomingMessage, Receipt } from "../transport.ts";

/** More is no message that somebody typed; WhatsApp itself ends at 65,536. */
const LONGEST_TEXT = 65_536;
const LONGEST_NAME = 120;
const LONGEST_ID = 200;
/** Bytes of a picture that are kept. */
const LARGEST_IMAGE = 8 * 1024 * 1024;

/** WhatsApp is younger than this. */
const EARLIEST_S = Date.UTC(2009, 0, 1) / 1000;
/** Clocks of gateways run ahead by so much without anybody minding. */
const AHEAD_MS = 5 * 60_000;

/** `none`: nothing that a chat shows (a status, a channel, keys between devices). `malformed`: no id or no chat. */
export type ReadMessage =
  | { kind: "message"; message: IncomingMessage }
  | { kind: "none" }
  | { kind: "malformed" };

/**
 * Reads one message as the Evolution API tells it, in a webhook, in the answer to a send or from its store. Addresses are what it named,
 * `remoteJid` and `remoteJidAlt`, either of which may be the hidden identity. `receivedAt` stands in for a time that cannot be.
 */
export function readMessage(
  record: unknown,
  { receivedAt, viaApi }: { receivedAt: Date; viaApi: boolean },
): ReadMessage {
  const id = textAt(record, "key", "id");
  const remote = textAt(record, "key", "remoteJid");
  if (id === null || id.length > LONGEST_ID || remote === null) return { kind: "malformed" };
  const chat = chatOf(record, remote);
  const content = readContent(valueAt(record, "message"), textAt(record, "messageType"));
  if (chat.length === 0 || !content) return { kind: "none" };
  const fromMe = valueAt(record, "key", "fromMe") === true;
  const pushName = fromMe ? null : textAt(record, "pushName");
  const inGroup = chat.some((address) => address.endsWith("@g.us"));
  const quoted = content.quotedId ?? textAt(record, "contextInfo", "stanzaId");
  return {
    kind: "message",
    message: {
      ...{ providerId: cleanText(id, LONGEST_ID), chat, fromMe, kind: content.kind },
      viaApi: viaApi && fromMe,
      pushName: pushName === null ? null : cleanText(pushName, LONGEST_NAME),
      participant: inGroup && !fromMe ? participantOf(record) : null,
      text: cleanText(content.text, LONGEST_TEXT),
      image: content.kind === "image" ? imageOf(record) : null,
      quotedId: quoted === null ? null : cleanText(quoted, LONGEST_ID),
      at: timeOf(valueAt(record, "messageTimestamp"), receivedAt),
    },
  };
}

/** Of the versions: the last is the hidden address in whose place 2.3's first ones put the number, and what was typed on the phone has it alone. */
const OTHER_NAMES = ["remoteJidAlt", "senderPn", "senderLid", "previousRemoteJid"];

/** Whom a chat is with, as many of their addresses as were told; empty for nobody that we talk to. */
export function chatOf(record: unknown, remote: string): string[] {
  const first = address(remote);
  if (first?.endsWith("@g.us")) return [first];
  // Also where the one named first is nobody to us: the other name may be a person's.
  const others = OTHER_NAMES.map((name) => textAt(record, "key", name));
  const named = [first, ...others.map((one) => (one === null ? null : address(one)))];
  const people = named.filter((one) => one !== null && !one.endsWith("@g.us"));
  return first === null && /broadcast|newsletter/.test(remote) ? [] : [...new Set(people.map(String))];
}

/** Who wrote in a group, by number where it was told. */
function participantOf(record: unknown): string | null {
  const names = ["participantAlt", "participantPn", "participant", "participantLid"];
  const told = names.flatMap((name) => address(textAt(record, "key", name) ?? "") ?? []);
  return told.find((one) => readChatId(one).kind === "phone") ?? told[0] ?? null;
}

/** An address that means somebody. The EVOLUTION channel hands on numbers as they were typed, without a server. */
function address(text: string): string | null {
  const digits = text.replace(/[\s+().-]/g, "");
  const full = /^\d{5,15}$/.test(digits) ? `${digits}@s.whatsapp.net` : text;
  return readChatId(full).kind === "none" ? null : full;
}

/** `base64` is there where the instance's webhook asks for it; beyond the limit a picture is known to be there and not shown. */
function imageOf(record: unknown): Uint8Array | null {
  const base64 = textAt(record, "message", "base64")?.replace(/^data:[^,]{1,100},/, "");
  if (!base64 || base64.length > (LARGEST_IMAGE * 4) / 3 + 4) return null;
  const bytes = Buffer.from(base64, "base64");
  // Whatever is no base64 is skipped in decoding. Of signs that fill up there are two at most: a pattern that takes any number of them
  // would look from each of millions on whether the end comes after them.
  const whole = Math.floor((base64.replace(/={1,2}$/, "").length * 3) / 4) === bytes.length;
  return whole && bytes.length > 0 && bytes.length <= LARGEST_IMAGE ? bytes : null;
}

/** Seconds, or milliseconds, in whichever writing. A time that cannot be is when we heard of it. */
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
  // Meta's own words, which the channel of its Cloud API hands on.
  SENT: "accepted",
  DELIVERED: "delivered",
  FAILED: "error",
};
/** WhatsApp's own numbers for them, which 1.8 hands on here and there. */
const NUMBERED = ["ERROR", "PENDING", "SERVER_ACK", "DELIVERY_ACK", "READ", "PLAYED"];

/** What a status of the gateway says of our message; null for those that say nothing (PENDING, DELETED). */
export function readStatus(value: unknown): Receipt["status"] | null {
  const name = typeof value === "number" ? NUMBERED[value] : value;
  return typeof name === "string" && Object.hasOwn(STATUSES, name) ? (STATUSES[name] ?? null) : null;
}
