import { expect, test } from "vitest";
import type { FieldKind } from "../../contract/contact-fields.ts";
import { fieldText, readTyped, typedValue } from "./field-text.ts";

const field = (kind: FieldKind) => ({ id: 1, key: "campo", label: "Campo", kind });

test.each([
  ["1250", 1250],
  ["1.250,50", 1250.5],
  ["-3,5", -3.5],
  ["0", 0],
  ["1.25,5", undefined],
  ["12.50", undefined],
  ["1,2,3", undefined],
  ["abc", undefined],
  [" ", null],
])("a typed number %s is %s", (typed, value) => {
  expect(readTyped(typed, field("number"))).toBe(value);
});

test.each([
  ["07/02/2026", "2026-02-07"],
  ["7/2/26", "2026-02-07"],
  ["31/02/2026", undefined],
  ["07/02", undefined],
  ["", null],
])("a typed date %s is %s", (typed, value) => {
  expect(readTyped(typed, field("date"))).toBe(value);
});

test("values are shown in Portuguese and typed back as they were", () => {
  expect(fieldText(1250.5, field("number"))).toBe("1.250,5");
  expect(fieldText("2026-02-07", field("date"))).toBe("07/02/2026");
  expect(fieldText(false, field("boolean"))).toBe("Não");
  expect(fieldText(undefined, field("text"))).toBe("");
  for (const [value, kind] of [
    [1250.25, "number"],
    ["2026-02-07", "date"],
    [true, "boolean"],
    ["Rex", "text"],
  ] as const)
    expect(readTyped(typedValue(value, field(kind)), field(kind))).toBe(value);
});
