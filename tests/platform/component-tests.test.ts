import { expect, test } from "vitest";
import { stoppedFiles } from "../../scripts/component-tests.ts";
import { STOPPED } from "../component/support/stopped.ts";

const click = { file: "a", messages: ["locator.click: Timeout", `After the test: ${STOPPED}`] };
const next = { file: "a", messages: [STOPPED] };
const another = { file: "b", messages: [`Error: ${STOPPED}`] };

test("the files of a page that the browser stopped drawing run again, each once", () => {
  expect(stoppedFiles([click, next, another])).toEqual(["a", "b"]);
});

test("anything else that failed stays failed", () => {
  expect(stoppedFiles([])).toEqual([]);
  expect(stoppedFiles([click, { file: "c", messages: ["expected true to be false"] }])).toEqual([]);
  expect(stoppedFiles([click, { file: "", messages: ["Error: unhandled"] }])).toEqual([]);
});
