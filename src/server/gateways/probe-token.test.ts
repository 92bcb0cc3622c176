import { expect, test } from "vitest";
import { probeToken, readProbeToken } from "./probe-token.ts";

const key = Buffer.alloc(32, 1);
const now = new Date("2026-11-20T12:00:00Z");
const later = (s: number) => new Date(now.getTime() + s * 1_000);

test("names its gateway for a minute", () => {
  const token = probeToken(key, 42, now);
  expect(readProbeToken(key, token, later(8))).toBe(42);
  expect(readProbeToken(key, token, later(61))).toBeNull();
  expect(probeToken(key, 42, now)).not.toBe(token);
});

test("a token cannot be forged or changed", () => {
  const token = probeToken(key, 42, now);
  const [, ...rest] = token.split(".");
  const forged = [
    "",
    ".",
    "....",
    "x",
    token.slice(0, -1),
    `${token}A`,
    ["43", ...rest].join("."),
    "42.9e15.x.y",
  ];
  for (const one of forged) expect(readProbeToken(key, one, now)).toBeNull();
  expect(readProbeToken(Buffer.alloc(32, 2), token, now)).toBeNull();
});
