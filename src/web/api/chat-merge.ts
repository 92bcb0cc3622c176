import type { Chat, ChatMessage } from "../../contract/chats.ts";

export type ChatList = { chats: readonly Chat[]; next: string | null; unread: number };

/** Loaded messages, oldest first; `older`: cursor; `upTo`: how far incoming messages are included. */
export type MessageList = { messages: readonly ChatMessage[]; older: string | null; upTo: number };

/**
 * Puts the refetched first page before what was loaded beyond it, so that a change does not refetch every
 * page. After a gap between the two, the old part is dropped.
 */
export function withNewest(known: ChatList | undefined, head: ChatList): ChatList {
  if (!known || head.next === null) return head;
  const shown = new Set(head.chats.map((chat) => chat.id));
  const before = new Map(known.chats.map((chat, place) => [chat.id, { at: chat.last.at, place }]));
  // Changed chats precede the first unchanged one; known chats before it that are missing here were merged.
  // Page order counts, as `withChat` updates in place.
  const unchanged = head.chats.findLast((chat) => before.get(chat.id)?.at === chat.last.at);
  const anchor = unchanged && before.get(unchanged.id)?.place;
  if (anchor === undefined) return head;
  const beyond = known.chats.slice(anchor + 1).filter((chat) => !shown.has(chat.id));
  if (beyond.length === 0) return head;
  return { chats: [...head.chats, ...beyond], next: known.next, unread: head.unread };
}

/** Appends a page; a chat that moved up appears once. */
export function withMore(known: ChatList, page: ChatList): ChatList {
  const shown = new Set(known.chats.map((chat) => chat.id));
  const added = page.chats.filter((chat) => !shown.has(chat.id));
  return { ...known, chats: [...known.chats, ...added], next: page.next };
}

export function withChat(known: ChatList, chat: Chat): ChatList {
  if (!known.chats.some((each) => each.id === chat.id)) return known;
  return { ...known, chats: known.chats.map((each) => (each.id === chat.id ? chat : each)) };
}

/** Puts refetched newest messages after older ones; unchanged messages keep their identity. */
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

/** Returns the known object of an unchanged message, so that it is not drawn again. */
function sameAs(known: MessageList): (message: ChatMessage) => ChatMessage {
  const before = new Map(known.messages.map((message) => [message.key, message]));
  return (message) => {
    const was = before.get(message.key);
    return was && JSON.stringify(was) === JSON.stringify(message) ? was : message;
  };
}

export function withOlderMessages(known: MessageList, page: MessageList): MessageList {
  const shown = new Set(known.messages.map((message) => message.key));
  const added = page.messages.filter((message) => !shown.has(message.key));
  return { messages: [...added, ...known.messages], older: page.older, upTo: furthest(known, page) };
}

/** WhatsApp may report old messages late: an older page may then reach further. */
const furthest = (...pages: MessageList[]) => Math.max(...pages.map(({ upTo }) => upTo));

export function withMessage(known: MessageList, message: ChatMessage): MessageList {
  const there = known.messages.some((each) => each.key === message.key);
  const messages = there
    ? known.messages.map((each) => (each.key === message.key ? message : each))
    : [...known.messages, message];
  return { ...known, messages };
}
