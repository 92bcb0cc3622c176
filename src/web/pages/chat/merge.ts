import type { Chat, ChatMessage } from "../../../contract/chats.ts";

/** The conversations read so far, newest first, and where to go on reading. */
export type ChatList = { chats: readonly Chat[]; next: string | null; unread: number };

/** The messages read so far, oldest first, where older ones are, and how far what others wrote is among them. */
export type MessageList = { messages: readonly ChatMessage[]; older: string | null; upTo: number };

/**
 * The newest page, asked for anew, before what was read beyond it. Without this each change would fetch every page again. Where the
 * page and what is known do not meet (so much happened in between), what was known is dropped.
 */
export function withNewest(known: ChatList | undefined, head: ChatList): ChatList {
  if (!known || head.next === null) return head;
  const shown = new Set(head.chats.map((chat) => chat.id));
  const before = new Map(known.chats.map((chat, place) => [chat.id, { at: chat.last.at, place }]));
  // Whatever changed since stands before one that did not, and whatever stood before that one and is not here is no more: merged
  // into another. By the order of the page: of what is known, one that was told by itself (`withChat`) stands where it stood.
  const unchanged = head.chats.findLast((chat) => before.get(chat.id)?.at === chat.last.at);
  const anchor = unchanged && before.get(unchanged.id)?.place;
  if (anchor === undefined) return head;
  const beyond = known.chats.slice(anchor + 1).filter((chat) => !shown.has(chat.id));
  if (beyond.length === 0) return head;
  return { chats: [...head.chats, ...beyond], next: known.next, unread: head.unread };
}

/** What comes after the known ones. A conversation that moved up since is not told twice. */
export function withMore(known: ChatList, page: ChatList): ChatList {
  const shown = new Set(known.chats.map((chat) => chat.id));
  const added = page.chats.filter((chat) => !shown.has(chat.id));
  return { ...known, chats: [...known.chats, ...added], next: page.next };
}

/**
 * One conversation as it is now, where it stands: the newest page moves it, and tells the sum of what is unread. That sum may know already
 * what is told here.
 */
export function withChat(known: ChatList, chat: Chat): ChatList {
  if (!known.chats.some((each) => each.id === chat.id)) return known;
  return { ...known, chats: known.chats.map((each) => (each.id === chat.id ? chat : each)) };
}

/** The newest messages, asked for anew, after the older ones that were read before. One that says the same stays the same object. */
export function withNewestMessages(known: MessageList | undefined, answer: MessageList): MessageList {
  const page = known ? { ...answer, messages: answer.messages.map(sameAs(known)) } : answer;
  const first = page.messages[0];
  if (!known || !first || page.older === null) return page;
  const shown = new Set(page.messages.map((message) => message.key));
  if (!known.messages.some((message) => shown.has(message.key))) return answer;
  const older = known.messages.filter((message) => !shown.has(message.key) && message.at <= first.at);
  if (older.length === 0) return page;
  return { messages: [...older, ...page.messages], older: known.older, upTo: furthest(known, page) };
}

/** The object that is known already for a message that did not change, so that nothing of it is drawn again. */
function sameAs(known: MessageList): (message: ChatMessage) => ChatMessage {
  const before = new Map(known.messages.map((message) => [message.key, message]));
  return (message) => {
    const was = before.get(message.key);
    return was && JSON.stringify(was) === JSON.stringify(message) ? was : message;
  };
}

/** Older ones before those that are known. */
export function withOlderMessages(known: MessageList, page: MessageList): MessageList {
  const shown = new Set(known.messages.map((message) => message.key));
  const added = page.messages.filter((message) => !shown.has(message.key));
  return { messages: [...added, ...known.messages], older: page.older, upTo: furthest(known, page) };
}

/** WhatsApp may tell late of what was written long ago: then an older page goes further than the newest. */
const furthest = (...pages: MessageList[]) => Math.max(...pages.map(({ upTo }) => upTo));

/** A message that the server just told of, at the end unless it is there already. */
export function withMessage(known: MessageList, message: ChatMessage): MessageList {
  const there = known.messages.some((each) => each.key === message.key);
  const messages = there
    ? known.messages.map((each) => (each.key === message.key ? message : each))
    : [...known.messages, message];
  return { ...known, messages };
}
