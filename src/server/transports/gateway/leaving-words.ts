import { addressKey } from "../../../domain/chat-id.ts";
import { leavingWith } from "../../../domain/leaving.ts";
import { readContent } from "../content/message-content.ts";
import { cleanText, textAt, valueAt } from "../content/own-values.ts";
import { chatOf } from "./read-message.ts";

const MESSAGE_EVENTS: ReadonlySet<string> = new Set(["messages.upsert", "send.message"]);
/** Messages of one event that are judged: gateways tell one, and a stranger's hundred thousand would stop the process for seconds. */
const MOST = 100;
/** As much text of a message as its reading keeps. */
const LONGEST_TEXT = 65_536;

/**
 * Addresses of people who ask to leave, or may, with an event that is not read yet: phones in canonical digits, hidden ones as `…@lid`.
 * Empty for most events. Judges by the same rule as the reading, without its pictures.
 */
export function leavingIn(event: string, body: unknown): string[] {
  if (!MESSAGE_EVENTS.has(event)) return [];
  const data = valueAt(body, "data");
  const list = valueAt(data, "messages") ?? data;
  const messages = Array.isArray(list) ? list.slice(0, MOST) : [list];
  return [...new Set(messages.flatMap(leavingAddresses))];
}

function leavingAddresses(message: unknown): string[] {
  const remote = textAt(message, "key", "remoteJid");
  if (remote === null || valueAt(message, "key", "fromMe") === true) return [];
  const content = readContent(valueAt(message, "message"), textAt(message, "messageType"));
  if (!content) return [];
  const text = cleanText(content.text, LONGEST_TEXT);
  if (leavingWith({ kind: content.kind, text }) === "no") return [];
  return chatOf(message, remote).flatMap((address) => addressKey(address) ?? []);
}
