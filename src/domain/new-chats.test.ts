import { expect, test } from "vitest";
import { type NewChats, newChatsLeft, remainingQuota } from "./new-chats.ts";

const NOW = new Date("2026-12-01T12:00:00Z");
const reading = (given: Partial<NewChats> = {}): NewChats => ({
  total: 100,
  used: 63,
  capped: false,
  until: "2026-12-14T03:00:00Z",
  readAt: "2026-12-01T11:30:00Z",
  ...given,
});

test.each([
  ["what is not used is left", reading(), 37],
  ["all used: none", reading({ used: 100 }), 0],
  ["more used than allowed: none, never less", reading({ used: 120 }), 0],
  ["capped: none, whatever the figures say", reading({ capped: true }), 0],
  ["nothing was read: unknown", null, null],
  ["a cycle that ends now: unknown", reading({ until: NOW.toISOString() }), null],
  [
    "an old cycle, all of it used: unknown, not none",
    reading({ used: 100, until: "2026-11-30T00:00:00Z" }),
    null,
  ],
  ["an end that is no time: unknown", reading({ until: "" }), null],
])("new conversations: %s", (_, read, left) => {
  expect(newChatsLeft(read, NOW)).toBe(left);
});

test("what began since the quota was read is taken from what it leaves", () => {
  const until = Date.parse(reading().until);
  expect(remainingQuota(reading(), 30, NOW)).toEqual({ left: 7, until });
  expect(remainingQuota(reading(), 40, NOW)).toEqual({ left: 0, until });
  expect(remainingQuota(reading({ until: NOW.toISOString() }), 40, NOW)).toBeNull();
});
