import { pino } from "pino";
import { expect, test } from "vitest";
import { reportLaneError } from "./lane-error.ts";

test("the end of a lane is logged with its cause", () => {
  const lines: { level: number; msg: string; connectionId: number }[] = [];
  const log = pino({}, { write: (line: string) => void lines.push(JSON.parse(line)) });
  reportLaneError(log, 7, Object.assign(new Error("terminating connection"), { code: "57P01" }));
  reportLaneError(log, 8, new TypeError("Cannot read properties of undefined"));
  expect(lines).toMatchObject([
    { level: 40, connectionId: 7, msg: "lane ends: the database does not answer" },
    { level: 50, connectionId: 8, msg: "lane ends: unforeseen error" },
  ]);
});
