import type { ChatMessage } from "../../../contract/chats.ts";
import { formatDate } from "../../messages/format.ts";
import type { Outgoing } from "../../session/unsent.ts";

export type LogItem =
  | { what: "day"; key: string; at: string }
  | { what: "unread"; key: string; count: number }
  | { what: "message"; key: string; message: ChatMessage; newSpeaker: boolean }
  | { what: "outgoing"; key: string; outgoing: Outgoing };

type Given = {
  messages: readonly ChatMessage[];
  outgoing: readonly Outgoing[];
  firstUnread: string | undefined;
  unread: number;
  zone: string;
};

export function logItems({ messages, outgoing, firstUnread, unread, zone }: Given): LogItem[] {
  const items: LogItem[] = [];
  let day = "";
  let speaker = "";
  const dayOf = dayInZone(zone);
  const passDay = (at: string) => {
    const next = dayOf(at);
    if (next === day) return;
    day = next;
    speaker = "";
    items.push({ what: "day", key: `day:${next}`, at });
  };
  for (const message of messages) {
    passDay(message.at);
    if (message.key === firstUnread) {
      items.push({ what: "unread", key: "unread", count: unread });
      speaker = "";
    }
    const now = message.fromMe ? "me" : `they:${message.participant ?? ""}`;
    items.push({ what: "message", key: message.key, message, newSpeaker: now !== speaker });
    speaker = now;
  }
  // The list may bring a message before the call that sent it is answered.
  const here = new Set(messages.map(({ requestKey }) => requestKey));
  for (const each of outgoing) {
    if (here.has(each.key)) continue;
    passDay(each.at);
    items.push({ what: "outgoing", key: each.key, outgoing: each });
  }
  return items;
}

const QUARTER_MS = 900_000;

/** Zone days begin at a quarter hour, so one calendar look-up per quarter hour suffices. */
function dayInZone(zone: string): (at: string) => string {
  const known = new Map<number, string>();
  return (at) => {
    const quarter = Math.floor(Date.parse(at) / QUARTER_MS);
    const day = known.get(quarter) ?? formatDate(at, zone);
    known.set(quarter, day);
    return day;
  };
}

/** Counted unread as the server does: incoming, no reactions. */
const isToRead = ({ fromMe, kind }: ChatMessage) => !fromMe && kind !== "reaction";

/** Key of the oldest of the last `unread` incoming messages; undefined if not loaded. */
export function firstUnreadKey(messages: readonly ChatMessage[], unread: number): string | undefined {
  if (unread === 0) return undefined;
  return messages.filter(isToRead).at(-unread)?.key;
}

export function freshAfter(messages: readonly ChatMessage[], key: string | undefined): number {
  const at = messages.findLastIndex((message) => message.key === key);
  return at < 0 ? 0 : messages.slice(at + 1).filter(isToRead).length;
}
