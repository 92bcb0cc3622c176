import { expect, test } from "vitest";
import type { Condition, SegmentRule } from "../../contract/audiences.ts";
import type { FieldKind } from "../../domain/field-values.ts";
import type { FieldTest } from "../../domain/segment.ts";
import { ruleErrors, segmentName } from "./segment-input.ts";

const FIELDS = new Map<string, FieldKind>([
  ["pet", "text"],
  ["valor", "number"],
  ["retorno", "date"],
  ["socio", "boolean"],
]);
const GONE = { lists: [7], campaigns: [9] };

const errorsOf = (...items: SegmentRule["items"]) => ruleErrors({ match: "all", items }, FIELDS, GONE);
const field = (key: string, test: FieldTest, value: string | number | boolean | null): Condition => ({
  on: "field",
  key,
  test,
  value,
});

test.each([
  [field("pet", "contains", "Rex"), {}],
  [field("nome", "is", "Ana"), {}],
  [field("valor", "at_least", 10.5), {}],
  [field("retorno", "at_most", "2026-12-31"), {}],
  [field("retorno", "older_days", 365), {}],
  [field("socio", "is", false), {}],
  [field("pet", "filled", null), {}],
  [field("gato", "filled", null), { "rule.items.0.key": "unknown_field" }],
  [field("pet", "at_least", "a"), { "rule.items.0.test": "invalid_option" }],
  [field("socio", "contains", "s"), { "rule.items.0.test": "invalid_option" }],
  [field("pet", "is", ""), { "rule.items.0.value": "required" }],
  [field("pet", "is", null), { "rule.items.0.value": "required" }],
  [field("pet", "empty", "x"), { "rule.items.0.value": "invalid" }],
  [field("valor", "is", "10"), { "rule.items.0.value": "wrong_type" }],
  [field("retorno", "is", "2026-02-30"), { "rule.items.0.value": "invalid_date" }],
  [field("retorno", "next_days", 1.5), { "rule.items.0.value": "not_integer" }],
  [field("retorno", "next_days", 0), { "rule.items.0.value": { code: "too_small", n: 1 } }],
  [field("retorno", "last_days", 5_000), { "rule.items.0.value": { code: "too_large", n: 3_650 } }],
  [{ on: "list", test: "in", listId: 7 }, { "rule.items.0.listId": "invalid_option" }],
  [{ on: "campaign", test: "got", campaignId: 9 }, { "rule.items.0.campaignId": "invalid_option" }],
  [{ on: "campaign", test: "got", campaignId: null }, {}],
  [{ on: "reply", test: "last_days", days: null }, { "rule.items.0.days": "required" }],
  [{ on: "reply", test: "never", days: 3 }, { "rule.items.0.days": "invalid" }],
] as [Condition, object][])("%j", (condition, errors) => {
  expect(errorsOf(condition)).toEqual(errors);
});

test("errors of a group stand at its conditions", () => {
  const items = [field("pet", "filled", null), field("pet", "is", "")];
  expect(errorsOf(field("pet", "filled", null), { match: "any", items })).toEqual({
    "rule.items.1.items.1.value": "required",
  });
});

test("a name has 1 to 60 characters on one line", () => {
  expect(segmentName("  Ouro ")).toEqual({ name: "Ouro" });
  expect(segmentName("   ")).toEqual({ error: "required" });
  expect(segmentName("a".repeat(61))).toEqual({ error: { code: "too_long", n: 60 } });
});
