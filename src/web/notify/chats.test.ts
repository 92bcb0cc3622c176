import { expect, test } from "vitest";
import type { Chat } from "../../contract/chats.ts";
import { watchChats } from "./chats.ts";

const SINCE = Date.parse("2026-11-20T12:00:00.700Z");

function chatOf(
  id: number,
  { text = "Oi", at = "2026-11-20T12:00:05Z", fromMe = false, unread = 1, kind = "person" } = {},
): Chat {
  return { id, kind, unread, last: { text, at, fromMe, kind: "text" } } as Chat;
}

function inbox(rows: Record<number, Chat>) {
  const notified: string[] = [];
  const source = { get: async (id: number) => rows[id] ?? null, newest: async () => Object.values(rows) };
  const watch = watchChats(
    source,
    SINCE,
    (chats) => void notified.push(chats.map(({ id, last }) => `${id} ${last.text}`).join()),
  );
  return { rows, notified, watch };
}

test("each message notifies once", async () => {
  const { rows, notified, watch } = inbox({ 1: chatOf(1) });
  for (let again = 0; again < 3; again++) await watch.changed(1);
  rows[1] = chatOf(1, { text: "Tem?", unread: 2 });
  await watch.changed(1);
  await watch.changed(9);
  expect(notified).toEqual(["1 Oi", "1 Tem?"]);
});

test.each([
  ["what was there before", chatOf(1, { at: "2026-11-20T11:59:59Z" })],
  ["what was sent from here", chatOf(1, { fromMe: true })],
  ["what was read already", chatOf(1, { unread: 0 })],
  ["a message in a group", chatOf(1, { kind: "group" })],
])("%s gives no notification", async (_what, chat) => {
  const { notified, watch } = inbox({ 1: chat });
  await watch.changed(1);
  expect(notified).toEqual([]);
});

test("a message of the second in which the page was opened is news", async () => {
  const { notified, watch } = inbox({ 1: chatOf(1, { at: "2026-11-20T12:00:00Z" }) });
  await watch.changed(1);
  expect(notified).toEqual(["1 Oi"]);
});

test("messages missed during a lost connection notify together", async () => {
  const { notified, watch } = inbox({
    1: chatOf(1),
    2: chatOf(2, { text: "Bom dia" }),
    3: chatOf(3, { unread: 0 }),
  });
  await watch.changed(null);
  await watch.changed(null);
  expect(notified).toEqual(["1 Oi,2 Bom dia"]);
});
