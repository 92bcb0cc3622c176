import { expect, test } from "vitest";
import type { SegmentRule } from "../../contract/audiences.ts";
import type { ContactField } from "../../contract/contact-fields.ts";
import { draftOf, errorAt, newCondition, readRule, testsOf, withSubject } from "./rule-draft.ts";

const field = (key: string, kind: ContactField["kind"]): ContactField => ({ id: 1, key, label: key, kind });
const FIELDS = [field("peso", "number"), field("exame", "date"), field("castrado", "boolean")];

test("every kind of condition is read as it was drawn", () => {
  const rule: SegmentRule = {
    match: "any",
    items: [
      { on: "field", key: "nome", test: "contains", value: "Ana" },
      { on: "field", key: "peso", test: "at_least", value: 1250.5 },
      { on: "field", key: "exame", test: "is_not", value: "2026-02-07" },
      { on: "field", key: "exame", test: "next_days", value: 10 },
      { on: "field", key: "castrado", test: "is", value: false },
      { on: "field", key: "peso", test: "empty", value: null },
      {
        match: "all",
        items: [
          { on: "list", test: "not_in", listId: 4 },
          { on: "origin", test: "is_not", origin: "before" },
          { on: "created", test: "older_days", days: 30 },
        ],
      },
      { on: "reply", test: "never", days: null },
      { on: "reply", test: "last_days", days: 7 },
      { on: "campaign", test: "unread", campaignId: null },
      { on: "campaign", test: "not_got", campaignId: 9 },
    ],
  };
  expect(readRule(draftOf(rule, FIELDS), FIELDS)).toEqual({ rule, errors: {} });
});

test("an incomplete condition is named by the server's path, also within a group", () => {
  const draft = draftOf(
    {
      match: "all",
      items: [
        { on: "field", key: "peso", test: "is", value: 1 },
        { match: "any", items: [{ on: "created", test: "last_days", days: 1 }] },
      ],
    },
    FIELDS,
  );
  const [first, group] = draft.items;
  if (!first || "items" in first || !group || !("items" in group)) throw new Error("the draft has a group");
  first.value = "12kg";
  group.items = group.items.map((each) => ({ ...each, value: "3651" }));
  const { rule, errors } = readRule(draft, FIELDS);
  expect([rule, Object.keys(errors)]).toEqual([null, ["rule.items.0.value", "rule.items.1.items.0.days"]]);
  expect(errorAt(errors, "rule.items.0")).not.toBeNull();
  expect(errorAt(errors, "rule.items.1.items.0")).not.toBeNull();
  expect(errorAt({ "rule.items.10.value": "?" }, "rule.items.1")).toBeNull();
  for (const value of ["0", "", "1,5", "-3"])
    expect(
      readRule({ match: "all", items: [{ ...newCondition(), on: "created", test: "last_days", value }] }, [])
        .rule,
    ).toBeNull();
});

test("another subject keeps the test where it has it, and takes no value along", () => {
  const name = { ...newCondition(), test: "contains", value: "Ana" };
  expect(withSubject(name, "field:peso", FIELDS)).toMatchObject({ key: "peso", test: "is", value: "" });
  expect(withSubject({ ...name, test: "filled" }, "field:exame", FIELDS)).toMatchObject({ test: "filled" });
  expect(withSubject(name, "reply", FIELDS)).toMatchObject({ on: "reply", key: "", test: "last_days" });
  expect(testsOf(withSubject(name, "field:castrado", FIELDS), FIELDS)).not.toContain("contains");
});
