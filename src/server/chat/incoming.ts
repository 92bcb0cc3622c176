import { MESSAGE_KINDS } from "../../domain/chat.ts";
import { readChatId } from "../../domain/chat-id.ts";
import { normalizeLine, TURNING } from "../../domain/message-text.ts";
import type { IncomingMessage } from "../transports/transport.ts";

/** By which WhatsApp knows the other side of a chat: `jid` also names a group. */
export type Names = { phone: string | null; jid: string | null; lid: string | null };

/** A message as it may be stored: whatever a stranger's program put into it, the database and the screen can take it. */
export type CleanMessage = Required<Omit<IncomingMessage, "chat">> & {
  kindOfChat: "person" | "group";
  names: Names;
};

/** What WhatsApp lets a text have, in UTF-16 units. */
const TEXT_MOST = 65_536;
const NAME_MOST = 120;
/** Clocks differ; a message from further ahead would stand above all others until then. */
const AHEAD_MS = 60_000;
/** WhatsApp is from 2009. */
const FIRST = Date.UTC(2009, 0);
/** What an index and a URL can take; WhatsApp's own ids are 16 to 40 letters and digits. */
const PLAUSIBLE_ID = /^[\x21-\x7e]{1,128}$/;

/** Puts a message right; null when it is none of a chat (status updates, channels, lists of ours) or cannot be told from others. */
export function cleanMessage(message: IncomingMessage, now: Date): CleanMessage | null {
  const { providerId, chat, fromMe, viaApi, image } = message;
  const names = namesOf(chat);
  if (!names || !PLAUSIBLE_ID.test(providerId)) return null;
  const group = names.jid?.endsWith("@g.us") ?? false;
  return {
    ...{ providerId, names, fromMe, image },
    viaApi: fromMe && viaApi,
    kindOfChat: group ? "group" : "person",
    pushName: fromMe ? null : cleanName(message.pushName),
    participant: group ? participantOf(message.participant) : null,
    kind: MESSAGE_KINDS.includes(message.kind) ? message.kind : "other",
    text: cleanText(message.text),
    quotedId: plausible(message.quotedId),
    edits: plausible(message.edits ?? null),
    toMany: message.toMany ?? false,
    at: cleanTime(message.at, now),
  };
}

const plausible = (id: string | null) => (id !== null && PLAUSIBLE_ID.test(id) ? id : null);

/** All addresses of the other side as one; null when one of them says that this is no chat, or none says who it is. */
function namesOf(addresses: readonly string[]): Names | null {
  const names: Names = { phone: null, jid: null, lid: null };
  for (const address of addresses) {
    if (/@(broadcast|newsletter)$/.test(address)) return null;
    const id = readChatId(address);
    if (id.kind === "group") return { phone: null, jid: id.jid, lid: null };
    if (id.kind === "lid") names.lid ??= id.lid;
    if (id.kind === "phone" && names.phone === null) Object.assign(names, { phone: id.phone, jid: id.jid });
  }
  return names.phone === null && names.lid === null ? null : names;
}

function participantOf(address: string | null): string | null {
  const id = readChatId(address ?? "");
  if (id.kind === "phone") return id.phone;
  return id.kind === "lid" ? id.lid : null;
}

/** Harmless to PostgreSQL (no U+0000), to UTF-8 (no half characters) and to memory. What it says stays as it is: it is shown as text. */
function cleanText(text: string): string {
  const short = text.length > TEXT_MOST ? text.slice(0, TEXT_MOST) : text;
  return short.replaceAll("\0", "").replace(/\r\n?/g, "\n").toWellFormed();
}

export function cleanName(name: string | null): string | null {
  const line = normalizeLine(cleanText((name ?? "").slice(0, 4 * NAME_MOST)).replace(TURNING, ""));
  return line === "" ? null : Array.from(line).slice(0, NAME_MOST).join("");
}

function cleanTime(at: Date, now: Date): Date {
  const ms = at.getTime();
  if (!(ms >= FIRST && ms <= now.getTime() + AHEAD_MS)) return now;
  // WhatsApp tells whole seconds. As the second's beginning, an answer would stand above what it answers, of which we know the instant.
  return ms % 1_000 === 0 ? new Date(Math.max(ms, Math.min(ms + 999, now.getTime()))) : at;
}
