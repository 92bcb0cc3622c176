import { MESSAGE_KINDS } from "../../domain/chat.ts";
import { readChatId } from "../../domain/chat-id.ts";
import { normalizeLine, TURNING } from "../../domain/message-text.ts";
import type { IncomingMessage } from "../transports/transport.ts";

/** `jid` also names a group. */
export type Names = { phone: string | null; jid: string | null; lid: string | null };

/** Safe for database and screen. */
export type CleanMessage = Required<Omit<IncomingMessage, "chat">> & {
  kindOfChat: "person" | "group";
  names: Names;
};

/** WhatsApp's limit, in UTF-16 units. */
const TEXT_MOST = 65_536;
const NAME_MOST = 120;
/** Clocks differ; messages further ahead would stay on top. */
const AHEAD_MS = 60_000;
const FIRST = Date.UTC(2009, 0);
/** Fits index and URL; WhatsApp's ids have 16 to 40 letters and digits. */
const PLAUSIBLE_ID = /^[\x21-\x7e]{1,128}$/;

/** Null without a chat (status, channels, own lists) or usable id. */
export function cleanMessage(message: IncomingMessage, now: Date): CleanMessage | null {
  const { providerId, chat, fromMe, viaApi, file } = message;
  const names = namesOf(chat);
  if (!names || !PLAUSIBLE_ID.test(providerId)) return null;
  if (message.kind === "reaction" && message.text === "" && plausible(message.quotedId) === null) return null;
  const group = names.jid?.endsWith("@g.us") ?? false;
  return {
    providerId,
    names,
    fromMe,
    file,
    viaApi: fromMe && viaApi,
    kindOfChat: group ? "group" : "person",
    pushName: fromMe ? null : cleanName(message.pushName),
    participant: group ? participantOf(message.participant) : null,
    kind: MESSAGE_KINDS.includes(message.kind) ? message.kind : "other",
    text: cleanText(message.text),
    quotedId: plausible(message.quotedId),
    quoted: cleanQuoted(message.quoted ?? null),
    details: cleanDetails(message.details ?? null),
    edits: plausible(message.edits ?? null),
    deletes: plausible(message.deletes ?? null),
    toMany: message.toMany ?? false,
    at: cleanTime(message.at, now),
  };
}

const plausible = (id: string | null) => (id !== null && PLAUSIBLE_ID.test(id) ? id : null);

function cleanQuoted(quoted: CleanMessage["quoted"]): CleanMessage["quoted"] {
  if (quoted === null) return null;
  const kind = MESSAGE_KINDS.includes(quoted.kind) ? quoted.kind : "other";
  return { kind, text: cleanText(quoted.text), participant: quoted.participant };
}

function cleanDetails(details: CleanMessage["details"]): CleanMessage["details"] {
  if (details === null || "place" in details) return details;
  if ("poll" in details) {
    const { question, options } = details.poll;
    return { poll: { question: cleanText(question), options: options.map(cleanText) } };
  }
  if ("vote" in details) return { vote: { chosen: details.vote.chosen.map(cleanText) } };
  if ("link" in details) {
    const { url, title, description } = details.link;
    return { link: { url: cleanText(url), title: aboutOf(title), description: aboutOf(description) } };
  }
  return {
    contacts: details.contacts.map(({ name, phones, others }) => ({
      name: cleanName(name) ?? "",
      phones,
      others: others.map(cleanText),
    })),
  };
}

const ABOUT_MOST = 300;

const aboutOf = (text: string) => normalizeLine(cleanText(text.slice(0, ABOUT_MOST)).replace(TURNING, ""));

/** Null if an address excludes a chat or none names a person. */
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

/** PostgreSQL and UTF-8 reject U+0000 and lone surrogates. */
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
  // WhatsApp gives whole seconds: rounded down, an answer could precede its question.
  return ms % 1_000 === 0 ? new Date(Math.max(ms, Math.min(ms + 999, now.getTime()))) : at;
}
