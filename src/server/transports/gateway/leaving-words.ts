import { addressKey } from "../../../domain/chat-id.ts";
import { leavingWith } from "../../../domain/leaving.ts";
import { readContent } from "../content/message-content.ts";
import { cleanText, textAt, valueAt } from "../content/own-values.ts";
import { chatOf } from "./read-message.ts";

const MESSAGE_EVENTS: ReadonlySet<string> = new Set(["messages.upsert", "send.message"]);
/** Gateways send one; a stranger's 100,000 would block the process for seconds. */
const MOST = 100;
const LONGEST_TEXT = 65_536;

/**
 * People who opt out, or may, in an event not yet processed: canonical digits or `…@lid`. Same rule as
 * processing, without pictures.
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
