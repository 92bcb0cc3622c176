import { expect, test } from "vitest";
import { message as shown } from "../../../tests/component/support/rows.ts";
import type { Chat, ChatMessage } from "../../contract/chats.ts";
import {
  withChat,
  withMessage,
  withMore,
  withNewest,
  withNewestMessages,
  withOlderMessages,
} from "./chat-merge.ts";

const at = (minute: number) => new Date(Date.UTC(2026, 10, 19, 12, minute)).toISOString();

const chat = (id: number, minute: number, unread = 0): Chat => ({
  id,
  connectionId: 1,
  kind: "person",
  name: `P${id}`,
  savedName: null,
  pushName: null,
  phone: "5531902341187",
  remoteId: `${id}@s.whatsapp.net`,
  unread,
  last: { text: "oi", kind: "text", fromMe: false, source: "contact", at: at(minute) },
  optedOut: false,
  asksToLeave: null,
  assistant: { state: "none", name: null, pausedUntil: null },
});
const ids = ({ chats }: { chats: readonly Chat[] }) => chats.map(({ id }) => id);

const message = (key: string, minute: number, text = key): ChatMessage =>
  shown({ key, text, at: at(minute) });
const keys = ({ messages }: { messages: readonly ChatMessage[] }) => messages.map(({ key }) => key);

const known = {
  chats: [chat(9, 59), chat(8, 58), chat(7, 57), chat(6, 56), chat(5, 55)],
  next: "after-5",
  unread: 0,
};

test("the newest page takes its place before what was read beyond it", () => {
  const head = { chats: [chat(5, 70, 1), chat(9, 59), chat(8, 58)], next: "after-8", unread: 1 };
  const merged = withNewest(known, head);
  expect(ids(merged)).toEqual([5, 9, 8, 7, 6]);
  expect(merged.next).toBe("after-5");
  expect(merged.unread).toBe(1);
});

test("a conversation that was merged into another vanishes", () => {
  const head = { chats: [chat(9, 59), chat(7, 57)], next: "after-7", unread: 0 };
  expect(ids(withNewest(known, head))).toEqual([9, 7, 6, 5]);
});

test("a chat moved up by its own update does not remove those in between", () => {
  const updated = withChat(known, chat(6, 70, 1));
  expect(ids(updated)).toEqual([9, 8, 7, 6, 5]);
  const head = { chats: [chat(6, 70, 1), chat(9, 59)], next: "after-9", unread: 1 };
  expect(ids(withNewest(updated, head))).toEqual([6, 9, 8, 7, 5]);
});

test("a gap between pages restarts the list", () => {
  const head = { chats: [chat(4, 80), chat(3, 79), chat(9, 78)], next: "after-9", unread: 3 };
  expect(withNewest(known, head)).toBe(head);
  expect(withNewest(undefined, head)).toBe(head);
});

test("a page that is all there is replaces everything", () => {
  const head = { chats: [chat(9, 59)], next: null, unread: 0 };
  expect(withNewest(known, head)).toBe(head);
});

test("a chat that moved up while reading on appears once", () => {
  const merged = withMore(known, { chats: [chat(5, 55), chat(4, 54)], next: null, unread: 0 });
  expect(ids(merged)).toEqual([9, 8, 7, 6, 5, 4]);
  expect(merged.next).toBeNull();
});

test("one conversation that was read has nothing unread, and the sum, which may know of it already, is the newest page's", () => {
  const before = { chats: [chat(9, 59, 3), chat(8, 58, 1)], next: null, unread: 1 };
  const after = withChat(before, chat(9, 59, 0));
  expect(after.unread).toBe(1);
  expect(after.chats.map(({ unread }) => unread)).toEqual([0, 1]);
  expect(withChat(before, chat(1, 1))).toBe(before);
});

test("the newest messages join the older ones that were read before", () => {
  const read = { messages: [message("a", 1), message("b", 2), message("c", 3)], older: "before-a", upTo: 3 };
  const page = { messages: [message("c", 3, "changed"), message("d", 4)], older: "before-c", upTo: 4 };
  const merged = withNewestMessages(read, page);
  expect(keys(merged)).toEqual(["a", "b", "c", "d"]);
  expect(merged.messages[2]?.text).toBe("changed");
  expect(merged.older).toBe("before-a");
  expect(merged.upTo).toBe(4);
});

test("messages of one instant keep their order; a gap restarts the log", () => {
  const read = { messages: [message("a", 1), message("b", 1), message("c", 1)], older: null, upTo: 0 };
  const page = { messages: [message("b", 1), message("c", 1), message("d", 2)], older: "before-b", upTo: 0 };
  expect(keys(withNewestMessages(read, page))).toEqual(["a", "b", "c", "d"]);
  const far = { messages: [message("x", 30), message("y", 31)], older: "before-x", upTo: 0 };
  expect(withNewestMessages(read, far)).toBe(far);
});

test("older messages come before, each once", () => {
  const read = { messages: [message("c", 3), message("d", 4)], older: "before-c", upTo: 4 };
  const page = { messages: [message("a", 1), message("c", 3)], older: null, upTo: 5 };
  const merged = withOlderMessages(read, page);
  expect(keys(merged)).toEqual(["a", "c", "d"]);
  expect(merged.upTo).toBe(5);
});

test("a message that was just sent stands at the end, once", () => {
  const read = { messages: [message("a", 1)], older: null, upTo: 0 };
  const once = withMessage(read, message("b", 2));
  expect(keys(once)).toEqual(["a", "b"]);
  expect(keys(withMessage(once, message("b", 2, "changed")))).toEqual(["a", "b"]);
});
