import type { ChatMessage } from "../../../contract/chats.ts";
import { formatDate } from "../../messages/format.ts";
import type { Outgoing } from "../../session/unsent.ts";

/** What stands in the log, from above: a day, the line above what was unread, messages, and those on their way to the server. */
export type LogItem =
  | { what: "day"; key: string; at: string }
  | { what: "unread"; key: string; count: number }
  | { what: "message"; key: string; message: ChatMessage; newSpeaker: boolean }
  | { what: "outgoing"; key: string; outgoing: Outgoing };

type Given = {
  messages: readonly ChatMessage[];
  outgoing: readonly Outgoing[];
  /** The first message that was unread when the conversation was opened. */
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
    const here = dayOf(at);
    if (here === day) return;
    day = here;
    speaker = "";
    items.push({ what: "day", key: `day:${here}`, at });
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
  for (const each of outgoing) {
    passDay(each.at);
    items.push({ what: "outgoing", key: each.key, outgoing: each });
  }
  return items;
}

const QUARTER_MS = 900_000;

/** The day of an instant. Days of all zones begin at a quarter of an hour, so that thousands of messages need few looks at the calendar. */
function dayInZone(zone: string): (at: string) => string {
  const known = new Map<number, string>();
  return (at) => {
    const quarter = Math.floor(Date.parse(at) / QUARTER_MS);
    const day = known.get(quarter) ?? formatDate(at, zone);
    known.set(quarter, day);
    return day;
  };
}

/** What there is to read, as the server counts it: of the other side, and no reaction. */
const isToRead = ({ fromMe, kind }: ChatMessage) => !fromMe && kind !== "reaction";

/** The `unread`th message of the other side from below; undefined when that one is not read yet. */
export function firstUnreadKey(messages: readonly ChatMessage[], unread: number): string | undefined {
  if (unread === 0) return undefined;
  return messages.filter(isToRead).at(-unread)?.key;
}

/** How many of the other side came after a message. */
export function freshAfter(messages: readonly ChatMessage[], key: string | undefined): number {
  const at = messages.findLastIndex((message) => message.key === key);
  return at < 0 ? 0 : messages.slice(at + 1).filter(isToRead).length;
}
