import { expect, test } from "vitest";
import { readStatus } from "./read-message.ts";
import { outcomeOf } from "./send-outcome.ts";

const NOW = new Date("2026-11-20T12:00:00Z");
const answered = (body: object) => outcomeOf({ status: 201, body, retryAfter: null }, NOW);
const error = (code: number) => ({
  message: `(#${code}) …`,
  type: "OAuthException",
  code,
  fbtrace_id: "AbC",
  error_data: { messaging_product: "whatsapp", details: "…" },
});

test.each([
  ["SENT", "accepted"],
  ["DELIVERED", "delivered"],
  ["READ", "read"],
  ["FAILED", "error"],
])("a message that Meta calls %s is %s", (status, meaning) => {
  expect(readStatus(status)).toBe(meaning);
});

test("what Meta refused was not sent, though the gateway answers 201", () => {
  for (const code of [131_030, 131_009, 100])
    expect(answered(error(code))).toEqual({ kind: "refused", code: "gateway_refused", passing: false });
});

test("what Meta holds back for a while is not the person's", () => {
  for (const code of [4, 80_007, 130_429, 131_056])
    expect(answered(error(code))).toEqual({
      kind: "stop",
      cause: "rate_limited",
      retryAt: NOW.getTime() + 60_000,
    });
});

test("a token that Meta no longer accepts is no recipient's error", () => {
  for (const code of [190, 10, 0])
    expect(answered(error(code))).toEqual({ kind: "stop", cause: "wrong_key", retryAt: "human" });
});

test("of a error that Meta itself does not know, and of anything else, nothing is known", () => {
  const doubt = { kind: "ambiguous", reason: "gateway_garbage" };
  for (const code of [1, 2, 131_000, 131_016]) expect(answered(error(code))).toEqual(doubt);
  for (const body of [{ message: "x", code: 131_030 }, { fbtrace_id: "AbC" }, { ...error(4), code: "4" }])
    expect(answered(body)).toEqual(doubt);
});
