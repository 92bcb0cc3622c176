import { expect, test } from "vitest";
import { BodyBudget } from "./body-budget.ts";

const ROOMS = { smallest: 10, small: { most: 40, ofAccount: 20 }, large: { most: 200, ofAccount: 100 } };

function hold(budget: BodyBudget, accountId: string, bytes: number, declared = bytes) {
  const body = budget.admit(accountId, declared);
  return body?.grow(bytes) ? body : null;
}

test("F1b an account fills its own share of the room for large bodies, and others still have theirs", () => {
  const budget = new BodyBudget(ROOMS);
  expect(hold(budget, "a", 90)).not.toBeNull();
  expect(hold(budget, "a", 90)).toBeNull();
  expect(hold(budget, "b", 90)).not.toBeNull();
});

test("F1b large bodies take no room of small ones, however many there are", () => {
  const budget = new BodyBudget(ROOMS);
  for (const account of ["a", "b"]) hold(budget, account, 100);
  expect(hold(budget, "c", 90)).toBeNull();
  expect(hold(budget, "c", 10)).not.toBeNull();
});

test("a body that does not say its length counts as large once it is, and gives everything back", () => {
  const budget = new BodyBudget(ROOMS);
  const body = budget.admit("a", 0);
  expect(body?.grow(10)).toBe(true);
  expect(hold(budget, "a", 10)).not.toBeNull();
  expect(hold(budget, "a", 10)).toBeNull();
  expect(body?.grow(80)).toBe(true);
  expect(hold(budget, "a", 10)).not.toBeNull();
  expect(body?.grow(80)).toBe(false);
  expect(body?.size()).toBe(0);
  expect(hold(budget, "a", 100)).not.toBeNull();
});
