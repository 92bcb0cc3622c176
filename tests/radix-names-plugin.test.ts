import fs from "node:fs";
import { createRequire } from "node:module";
import { expect, test } from "vitest";
import { withoutNames } from "../scripts/radix-names-plugin.ts";

test("what names a function or a class beside it goes, and nothing else does", () => {
  const code = [
    "function used() {}",
    '__name(used, "used");',
    "var Kept = class extends Map {",
    "  static {",
    '    __name(this, "Kept");',
    "  }",
    "  static #made = 0;",
    "};",
    'var inline = __name(() => "__name", "inline");',
  ].join("\n");
  expect(withoutNames(code).replace(/\n\s*\n/g, "\n")).toBe(
    [
      "function used() {}",
      "var Kept = class extends Map {",
      "  static #made = 0;",
      "};",
      'var inline = __name(() => "__name", "inline");',
    ].join("\n"),
  );
});

test("nothing of Radix that no screen uses is kept in the page by its name", () => {
  const from = createRequire(createRequire(import.meta.url).resolve("radix-ui"));
  const naming = /^\s*(static \{\s*)?__name\(/m;
  for (const used of ["collection", "dialog", "menu", "tabs", "tooltip"]) {
    const source = fs.readFileSync(from.resolve(`@radix-ui/react-${used}`).replace(/\.js$/, ".mjs"), "utf8");
    // Otherwise Radix is built differently now and the plugin is unnecessary.
    expect(source, used).toMatch(naming);
    expect(withoutNames(source), used).not.toMatch(naming);
  }
});
