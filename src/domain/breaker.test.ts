import { describe, expect, test } from "vitest";
import {
  asksReason,
  BREAKER_WINDOW,
  type BreakerFailure,
  type BreakerFigures,
  breakerFailure,
  breakerVerdict,
  CANARY_PEOPLE,
} from "./breaker.ts";

const clean = (people: number): BreakerFigures => ({
  judged: people,
  handed: people,
  refused: 0,
  absent: 0,
  leaving: 0,
  undelivered: 0,
});

describe("31.7 just at a limit a campaign goes on, just past it it stops", () => {
  test.each<[BreakerFailure, number, number]>([
    ["refused", CANARY_PEOPLE, 2],
    ["absent", CANARY_PEOPLE, 6],
    ["leaving", CANARY_PEOPLE, 1],
    ["undelivered", CANARY_PEOPLE, 6],
    ["refused", BREAKER_WINDOW, 5],
    ["absent", BREAKER_WINDOW, 15],
    ["leaving", BREAKER_WINDOW, 2],
    ["undelivered", BREAKER_WINDOW, 15],
  ])("%s of %i: %i", (failure, people, most) => {
    expect(breakerVerdict({ ...clean(people), [failure]: most }, people)).toBeNull();
    expect(breakerVerdict({ ...clean(people), [failure]: most + 1 }, people)).toMatchObject({
      failure,
      judged: people,
      count: most + 1,
    });
  });
});

test("31.7 fewer people than asked for are not judged", () => {
  const all = { ...clean(49), refused: 49, absent: 49, leaving: 49, undelivered: 49 };
  expect(breakerVerdict(all, 50)).toBeNull();
  expect(breakerVerdict({ ...all, handed: 50, undelivered: 50 }, 50)?.failure).toBe("undelivered");
});

test("31.7 a cause names its failure, and asks for a reason", () => {
  expect(breakerFailure("breaker_absent")).toBe("absent");
  expect(breakerFailure("user")).toBeNull();
  expect(["breaker_leaving", "number_banned", "user", "unconfirmed", null].map(asksReason)).toEqual([
    true,
    true,
    false,
    false,
    false,
  ]);
});
