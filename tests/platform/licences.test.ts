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
    ...[
      "",
      "UNLICENSED",
      "SSPL-1.0",
      "MIT AND SSPL-1.0",
      "BUSL-1.1 OR SSPL-1.0",
      "(MIT",
      "MIT OR",
      "MIT MIT",
    ],
    ...["SEE LICENSE IN LICENSE", "GPL-2.0-only"],
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
