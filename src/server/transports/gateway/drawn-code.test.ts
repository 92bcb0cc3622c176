import { expect, test } from "vitest";
import { drawnCode } from "./drawn-code.ts";

const PNG = "iVBORw0KGgoAAAANSUhEUgAA";

test("a drawing is a data URI, whether or not the gateway made it one", () => {
  expect(drawnCode(PNG)).toBe(`data:image/png;base64,${PNG}`);
  expect(drawnCode(`data:image/png;base64,${PNG}`)).toBe(`data:image/png;base64,${PNG}`);
});

test.each([
  ["nothing", null],
  ["an empty text", ""],
  ["a page", "data:text/html;base64,PHNjcmlwdD4="],
  ["a drawing that can hold a script", "data:image/svg+xml;base64,PHN2Zz4="],
  ["what is no base64", `${PNG}"><script>`],
  ["what is far too large", `${PNG}${"A".repeat(100_000)}`],
])("%s is no drawing of a code", (_, base64) => {
  expect(drawnCode(base64)).toBeNull();
});
