import os from "node:os";
import { expect, test } from "vitest";
import { isDiskLow, isLow } from "./disk.ts";

test.each([
  ["a small disk with a tenth left", { free: 0.5e9, size: 5e9 }, false],
  ["a small disk with less", { free: 0.49e9, size: 5e9 }, true],
  ["a large disk with 1 GB left", { free: 1e9, size: 2e12 }, false],
  ["a large disk with less", { free: 0.9e9, size: 2e12 }, true],
  ["a full disk", { free: 0, size: 260e6 }, true],
])("F23 F24 %s", (_, disk, low) => {
  expect(isLow(disk)).toBe(low);
});

test("a folder that cannot be asked about is no reason to warn", async () => {
  expect(await isDiskLow("/nowhere/at/all")).toBe(false);
  expect(await isDiskLow(os.tmpdir())).toEqual(expect.any(Boolean));
});
