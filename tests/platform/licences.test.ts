import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { isAllowed, refusedLicences } from "../../scripts/licence-rules.ts";

test("a licence goes along when it is on the list, whichever way the expression is written", () => {
  for (const one of [
    "MIT",
    "(MIT OR CC0-1.0)",
    "Apache-2.0 AND LGPL-3.0-or-later",
    "SSPL-1.0 OR MIT",
    "(MIT AND (BSD-3-Clause OR SSPL-1.0))",
  ])
    expect(isAllowed(one), one).toBe(true);
  for (const one of [
    "",
    "UNLICENSED",
    "SSPL-1.0",
    "MIT AND SSPL-1.0",
    "BUSL-1.1 OR SSPL-1.0",
    "(MIT",
    "MIT OR",
    "MIT MIT",
    "SEE LICENSE IN LICENSE",
    "GPL-2.0-only",
  ])
    expect(isAllowed(one), one).toBe(false);
});

test("packages without a licence or with another one are named, ourselves left out", () => {
  const packages = {
    "": {},
    "node_modules/good": { version: "1.0.0", license: "ISC" },
    "node_modules/bad": { version: "2.0.0", license: "SSPL-1.0" },
    "node_modules/none": { version: "3.0.0" },
  };
  expect(refusedLicences({ packages })).toEqual([
    "node_modules/bad 2.0.0: SSPL-1.0",
    "node_modules/none 3.0.0: no licence",
  ]);
});

test("docs/decisions/0001-stack.md has a sentence for each package, and for none that is not there", () => {
  const root = path.join(import.meta.dirname, "..", "..");
  const read = (file: string) => fs.readFileSync(path.join(root, file), "utf8");
  const known = JSON.parse(read("package.json")) as Record<string, Record<string, string>>;
  const packages = ["dependencies", "devDependencies", "optionalDependencies"].flatMap((kind) =>
    Object.keys(known[kind] ?? {}),
  );
  const rows = read("docs/decisions/0001-stack.md").matchAll(/^- (`[^:]+`): .{10,}$/gm);
  const named = Array.from(rows, ([, cell = ""]) => cell.match(/[^`, ]+/g) ?? []).flat();
  const isOf = (one: string, name: string) =>
    name.endsWith("/*") ? one.startsWith(name.slice(0, -1)) : one === name;
  expect(packages.filter((one) => !named.some((name) => isOf(one, name)))).toEqual([]);
  expect(named.filter((name) => !packages.some((one) => isOf(one, name)))).toEqual([]);
});
