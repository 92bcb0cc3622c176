import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";

const WEB = path.join(import.meta.dirname, "..", "..", "src", "web");

/** `:has()` without a subject: browsers evaluate it on every element and again on each change of rows. */
const OF_EVERYTHING = /(?:^|[\s>+~,]):has\(/m;

test("no style asks :has() of every element of the page", () => {
  const files = fs
    .readdirSync(WEB, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".css"));
  const css = new Map(files.map((file) => [file, fs.readFileSync(path.join(WEB, file), "utf8")]));
  expect([...css.values()].some((text) => text.includes(":has("))).toBe(true);
  const without = (text: string) => text.replace(/\/\*.*?\*\//gs, "");
  expect([...css].filter(([, text]) => OF_EVERYTHING.test(without(text))).map(([file]) => file)).toEqual([]);
});
