import { expect, test } from "vitest";
import { message as shown } from "../../../../tests/component/support/rows.ts";
import type { ChatMessage } from "../../../contract/chats.ts";
import { firstUnreadKey, freshAfter, logItems } from "./log-items.ts";

const ZONE = "America/Sao_Paulo";

const message = (key: string, at: string, fromMe = false, participant: string | null = null): ChatMessage =>
  shown({ key, text: key, fromMe, participant, at, status: null });

const MESSAGES = [
  message("a", "2026-11-19T02:50:00Z"),
  message("b", "2026-11-19T03:10:00Z"),
  message("c", "2026-11-19T03:11:00Z", true),
  message("d", "2026-11-19T03:12:00Z"),
  message("e", "2026-11-19T03:13:00Z"),
];

const shape = (items: ReturnType<typeof logItems>) =>
  items.map((item) => (item.what === "message" ? item.key : item.what));

test("days part at the account's midnight, and a line stands above what was unread", () => {
  const items = logItems({ messages: MESSAGES, outgoing: [], firstUnread: "d", unread: 2, zone: ZONE });
  expect(shape(items)).toEqual(["day", "a", "day", "b", "c", "unread", "d", "e"]);
});

test("what is on its way to the server comes last, and not again once it is stored", () => {
  const outgoing = [
    {
      key: "k",
      text: "oi",
      file: null,
      quote: null,
      at: "2026-11-19T12:00:00Z",
      error: null,
      unknown: false,
    },
  ];
  const items = logItems({
    messages: MESSAGES.slice(0, 1),
    outgoing,
    firstUnread: undefined,
    unread: 0,
    zone: ZONE,
  });
  expect(shape(items)).toEqual(["day", "a", "day", "outgoing"]);
  const stored = { ...message("b", "2026-11-19T12:00:01Z", true), requestKey: "k" };
  const both = logItems({
    messages: [stored],
    outgoing,
    firstUnread: undefined,
    unread: 0,
    zone: ZONE,
  });
  expect(shape(both)).toEqual(["day", "b"]);
});

test("who speaks in a group is named where another one begins", () => {
  const group = [
    message("a", "2026-11-19T12:00:00Z", false, "Lucas"),
    message("b", "2026-11-19T12:01:00Z", false, "Lucas"),
    message("c", "2026-11-19T12:02:00Z", false, "Rita"),
    message("d", "2026-11-19T12:03:00Z", true),
    message("e", "2026-11-19T12:04:00Z", false, "Rita"),
  ];
  const items = logItems({ messages: group, outgoing: [], firstUnread: undefined, unread: 0, zone: ZONE });
  expect(items.filter((item) => item.what === "message" && item.newSpeaker).map(({ key }) => key)).toEqual([
    "a",
    "c",
    "d",
    "e",
  ]);
});

test("unread ones are counted from below, without our own", () => {
  expect(firstUnreadKey(MESSAGES, 3)).toBe("b");
  expect(firstUnreadKey(MESSAGES, 9)).toBeUndefined();
  expect(firstUnreadKey(MESSAGES, 0)).toBeUndefined();
  expect(freshAfter(MESSAGES, "b")).toBe(2);
  expect(freshAfter(MESSAGES, "e")).toBe(0);
  expect(freshAfter(MESSAGES, "elsewhere")).toBe(0);
});

test("reactions are nothing to read: neither the line nor the count of new ones takes them for messages", () => {
  const reaction: ChatMessage = { ...message("r", "2026-11-19T03:14:00Z"), kind: "reaction", text: "👍" };
  expect(firstUnreadKey([...MESSAGES, reaction], 2)).toBe("d");
  expect(freshAfter([...MESSAGES, reaction], "d")).toBe(1);
});
