import { describe, expect, test } from "vitest";
import {
  type CampaignFacts,
  campaignActions,
  deliveryRate,
  displayStatus,
  estimatedEnd,
  pauseCause,
  remainingCount,
  secondsPerMessage,
  secondsToEnd,
  sentCount,
} from "./campaign.ts";
import type { DeliveryCounts } from "./delivery.ts";

const none: DeliveryCounts = {
  pending: 0,
  sending: 0,
  waiting: 0,
  skipped: 0,
  uncertain: 0,
  error: 0,
  accepted: 0,
  sent: 0,
  delivered: 0,
  read: 0,
};
const facts = (over: Partial<CampaignFacts>): CampaignFacts => ({
  status: "ended",
  cause: null,
  connected: true,
  counts: none,
  ...over,
});

describe("status", () => {
  test.each([
    ["a draft", facts({ status: "draft" }), "draft"],
    ["a scheduled one", facts({ status: "scheduled" }), "scheduled"],
    ["one whose audience is being written", facts({ status: "starting" }), "sending"],
    ["starting while its connection is down", facts({ status: "starting", connected: false }), "paused"],
    ["sending", facts({ status: "sending" }), "sending"],
    ["sending over a connection that is down", facts({ status: "sending", connected: false }), "paused"],
    ["sending without a connection yet", facts({ status: "sending", connected: null }), "sending"],
    ["paused by a person", facts({ status: "paused", cause: "user" }), "paused"],
    ["cancelled with errors", facts({ status: "cancelled", counts: { ...none, error: 3 } }), "cancelled"],
    ["ended, all sent", facts({ counts: { ...none, sent: 1, delivered: 2, read: 3 } }), "completed"],
    ["ended, some skipped", facts({ counts: { ...none, sent: 1, skipped: 2 } }), "completed"],
    ["ended, everybody skipped", facts({ counts: { ...none, skipped: 2 } }), "completed"],
    ["ended, some failed", facts({ counts: { ...none, read: 1, error: 2 } }), "partially_completed"],
    ["ended, no one reached", facts({ counts: { ...none, error: 2, skipped: 1 } }), "failed"],
    ["ended, one to verify", facts({ counts: { ...none, sent: 9, uncertain: 1 } }), "partially_completed"],
    ["ended, only doubts", facts({ counts: { ...none, error: 1, uncertain: 1 } }), "partially_completed"],
    ["ended while the connection is down", facts({ connected: false }), "completed"],
  ])("%s", (_, campaign, expected) => expect(displayStatus(campaign)).toBe(expected));

  test.each([
    ["paused by a person", facts({ status: "paused", cause: "user" }), "user"],
    ["missed its time", facts({ status: "paused", cause: "missed" }), "missed"],
    ["paused without a cause", facts({ status: "paused" }), "user"],
    ["connection down", facts({ status: "sending", connected: false }), "connection"],
    [
      "a person's pause goes before the connection",
      facts({ status: "paused", cause: "user", connected: false }),
      "user",
    ],
    ["not paused", facts({ status: "sending" }), null],
    ["an old cause of an ended one", facts({ status: "ended", cause: "user" }), null],
  ])("cause: %s", (_, campaign, expected) => expect(pauseCause(campaign)).toBe(expected));
});

test.each([
  [facts({ status: "draft" }), ["edit", "delete", "reuse"]],
  [facts({ status: "scheduled" }), ["edit", "cancel"]],
  [facts({ status: "starting" }), ["pause", "cancel"]],
  [facts({ status: "sending" }), ["pause", "cancel"]],
  [facts({ status: "sending", connected: false }), ["pause", "cancel"]],
  [facts({ status: "paused", cause: "user" }), ["resume", "cancel"]],
  [facts({ status: "paused", cause: "missed" }), ["confirm", "cancel"]],
  [facts({ status: "paused", cause: "connection_removed" }), ["cancel"]],
  [facts({ status: "ended" }), ["reuse", "archive", "delete"]],
  [facts({ status: "cancelled" }), ["reuse", "archive", "delete"]],
  [facts({ status: "cancelled", counts: { ...none, sending: 1 } }), ["reuse", "archive"]],
])("actions of $life, cause $cause", (campaign, expected) =>
  expect(campaignActions(campaign, 0)).toEqual(expected),
);

test.each(["ended", "cancelled"] as const)("failures of a campaign that is %s can be sent again", (status) =>
  expect(campaignActions(facts({ status }), 1)).toEqual(["resend_failures", "reuse", "archive", "delete"]),
);

test("26.15 what is archived can be taken back", () =>
  expect(campaignActions(facts({ status: "ended" }), 0, true)).toEqual(["reuse", "unarchive", "delete"]));

test("counts: sent includes what receipts confirmed, remaining what is not settled @decision 11", () => {
  const counts = { ...none, pending: 1, sending: 2, waiting: 4, sent: 8, delivered: 16, read: 32, error: 64 };
  expect(sentCount(counts)).toBe(56);
  expect(remainingCount(counts)).toBe(7);
});

test("rate is sent ÷ (sent + errors + uncertain), and nothing before the first outcome @spec 4.1 @decision 11", () => {
  expect(deliveryRate({ sent: 17_316, errors: 1049, uncertain: 37 })).toBeCloseTo(0.941, 3);
  expect(deliveryRate({ sent: 0, errors: 4, uncertain: 0 })).toBe(0);
  expect(deliveryRate({ sent: 0, errors: 0, uncertain: 0 })).toBeNull();
});

describe("estimated end", () => {
  test.each([
    ["its own interval", { intervalS: 60, extraS: 0, sharing: 1, seenS: 90 }, 60],
    ["half of the random extra is added", { intervalS: 60, extraS: 30, sharing: 1, seenS: null }, 75],
    ["campaigns of one connection take turns", { intervalS: 60, extraS: 0, sharing: 3, seenS: null }, 180],
    ["no interval: what was seen", { intervalS: 0, extraS: 0, sharing: 1, seenS: 0.4 }, 0.4],
    ["no interval and nothing seen", { intervalS: 0, extraS: 0, sharing: 1, seenS: null }, null],
  ])("%s", (_, pace, expected) => expect(secondsPerMessage(pace)).toBe(expected));

  const sharer = (remaining: number, intervalS: number) => ({ remaining, intervalS, extraS: 0 });
  test.each([
    ["alone", sharer(100, 60), [], 6_000],
    ["beside one with as many people", sharer(100, 60), [sharer(100, 60)], 12_000],
    ["beside one that is over long before", sharer(100, 30), [sharer(10, 60)], 10 * 2 * 60 + 90 * 30],
    ["over long before another", sharer(10, 30), [sharer(100, 60)], 10 * 2 * 60],
    ["beside two that end one after the other", sharer(3, 10), [sharer(1, 10), sharer(2, 10)], 60],
    [
      "alone without an interval in the end, at a pace that was not seen",
      sharer(9, 0),
      [sharer(3, 60)],
      null,
    ],
  ])("%s", (_, own, others, expected) => expect(secondsToEnd(own, others, null)).toBe(expected));

  test("what was seen beside a slower campaign says nothing of how fast one without an interval goes on alone", () => {
    expect(secondsToEnd(sharer(1_000, 0), [sharer(10, 60)], 120)).toBeNull();
    expect(secondsToEnd(sharer(10, 0), [sharer(10, 60)], 120)).toBe(10 * 2 * 60);
    expect(secondsToEnd(sharer(1_000, 0), [sharer(10, 0)], 2)).toBe(2_000);
  });

  test("480 people, one a minute, are eight hours", () => {
    const now = new Date("2026-11-27T11:00:00Z");
    expect(estimatedEnd(now, 480, 60)?.toISOString()).toBe("2026-11-27T19:00:00.000Z");
    expect(estimatedEnd(now, 480, null)).toBeNull();
  });
});
