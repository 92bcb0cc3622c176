import type { Condition, SegmentRule } from "../../contract/audiences.ts";
import type { ContactField, FieldKind } from "../../contract/contact-fields.ts";
import {
  CAMPAIGN_TESTS,
  DAYS_MOST,
  FIELD_TESTS,
  ORIGINS,
  REPLY_TESTS,
  TESTS_OF_KIND,
} from "../../domain/segment.ts";
import { formatNumber } from "../messages/format.ts";
import { segmentsText as t } from "../messages/segments.ts";
import { readTyped, typedError, typedValue } from "../ui/field-text.ts";

export type DraftCondition = {
  id: number;
  on: Condition["on"];
  key: string;
  test: string;
  value: string;
  ref: string;
};
type Match = SegmentRule["match"];
export type DraftGroup = { id: number; match: Match; items: DraftCondition[] };
export type DraftItem = DraftCondition | DraftGroup;
export type DraftRule = { match: Match; items: DraftItem[] };

const NAME = "nome";

let lastId = 0;
const nextId = () => ++lastId;

const NAME_FIELD: ContactField = { id: 0, key: NAME, label: t.subjects.nome, kind: "text" };

const TESTS = {
  list: ["in", "not_in"],
  origin: ["is", "is_not"],
  created: ["last_days", "older_days"],
  reply: REPLY_TESTS,
  campaign: CAMPAIGN_TESTS,
} as const;

export const isGroup = (item: DraftItem): item is DraftGroup => "items" in item;

export const fieldOf = (fields: readonly ContactField[], key: string): ContactField | undefined =>
  key === NAME ? NAME_FIELD : fields.find((each) => each.key === key);

export const testsOf = ({ on, key }: DraftCondition, fields: readonly ContactField[]): readonly string[] =>
  on === "field" ? TESTS_OF_KIND[fieldOf(fields, key)?.kind ?? "text"] : TESTS[on];

export type Wanted = "nothing" | "days" | "list" | "origin" | "campaign" | FieldKind;

export function wantedOf({ on, key, test }: DraftCondition, fields: readonly ContactField[]): Wanted {
  if (test.endsWith("_days")) return "days";
  if (on === "list" || on === "origin" || on === "campaign") return on;
  if (on === "reply" || test === "filled" || test === "empty") return "nothing";
  return fieldOf(fields, key)?.kind ?? "text";
}

export const newCondition = (): DraftCondition => ({
  id: nextId(),
  on: "field",
  key: NAME,
  test: "is",
  value: "",
  ref: "",
});

export const newGroup = (): DraftGroup => ({ id: nextId(), match: "any", items: [newCondition()] });

export const newRule = (): DraftRule => ({ match: "all", items: [newCondition()] });

export function withSubject(
  condition: DraftCondition,
  subject: string,
  fields: readonly ContactField[],
): DraftCondition {
  const key = subject.startsWith("field:") ? subject.slice("field:".length) : "";
  const on = key === "" ? (subject as DraftCondition["on"]) : "field";
  const next = { ...condition, on, key, value: "", ref: "" };
  const tests = testsOf(next, fields);
  return { ...next, test: tests.includes(condition.test) ? condition.test : (tests[0] ?? "") };
}

export const subjectOf = ({ on, key }: DraftCondition): string => (on === "field" ? `field:${key}` : on);

export function draftOf(rule: SegmentRule, fields: readonly ContactField[]): DraftRule {
  return {
    match: rule.match,
    items: rule.items.map((item) =>
      "items" in item
        ? { id: nextId(), match: item.match, items: item.items.map((each) => draftCondition(each, fields)) }
        : draftCondition(item, fields),
    ),
  };
}

function draftCondition(condition: Condition, fields: readonly ContactField[]): DraftCondition {
  const blank = { ...newCondition(), on: condition.on, key: "", test: condition.test };
  switch (condition.on) {
    case "field": {
      const { key, test, value } = condition;
      const field = fieldOf(fields, key);
      const written =
        value === null || !field || test.endsWith("_days") ? String(value ?? "") : typedValue(value, field);
      return { ...blank, key, value: written };
    }
    case "list":
      return { ...blank, ref: String(condition.listId) };
    case "origin":
      return { ...blank, ref: condition.origin };
    case "created":
      return { ...blank, value: String(condition.days) };
    case "reply":
      return { ...blank, value: condition.days === null ? "" : String(condition.days) };
    case "campaign":
      return { ...blank, ref: condition.campaignId === null ? "" : String(condition.campaignId) };
  }
}

/** By the server's paths, such as `rule.items.0.value`. */
export type RuleErrors = Record<string, string>;

export function readRule(
  draft: DraftRule,
  fields: readonly ContactField[],
): { rule: SegmentRule | null; errors: RuleErrors } {
  const errors: RuleErrors = {};
  const one = (condition: DraftCondition, path: string): Condition[] => {
    const read = readCondition(condition, fields);
    if ("condition" in read) return [read.condition];
    errors[`${path}.${read.part}`] = read.error;
    return [];
  };
  const items = draft.items.flatMap((item, at): SegmentRule["items"] => {
    const path = pathOf("rule", at);
    if (!isGroup(item)) return one(item, path);
    return [{ match: item.match, items: item.items.flatMap((each, n) => one(each, pathOf(path, n))) }];
  });
  const whole = Object.keys(errors).length === 0;
  return { rule: whole ? { match: draft.match, items } : null, errors };
}

type Read = { condition: Condition } | { part: string; error: string };

function readCondition(draft: DraftCondition, fields: readonly ContactField[]): Read {
  const { on, test, ref } = draft;
  const days = Number(draft.value.trim());
  const isDays = /^\d{1,4}$/.test(draft.value.trim()) && days >= 1 && days <= DAYS_MOST;
  if (wantedOf(draft, fields) === "days" && !isDays)
    return { part: on === "field" ? "value" : "days", error: t.notDays(formatNumber(DAYS_MOST)) };
  switch (on) {
    case "field":
      return readField(draft, fields, days);
    case "list":
      if (ref === "") return { part: "listId", error: t.required };
      return { condition: { on, test: test as "in", listId: Number(ref) } };
    case "origin": {
      const origin = ORIGINS.find((each) => each === ref);
      if (!origin) return { part: "origin", error: t.required };
      return { condition: { on, test: test as "is", origin } };
    }
    case "created":
      return { condition: { on, test: test as "last_days", days } };
    case "reply": {
      const chosen = REPLY_TESTS.find((each) => each === test) ?? "ever";
      return { condition: { on, test: chosen, days: chosen.endsWith("_days") ? days : null } };
    }
    case "campaign": {
      const chosen = CAMPAIGN_TESTS.find((each) => each === test) ?? "got";
      return { condition: { on, test: chosen, campaignId: ref === "" ? null : Number(ref) } };
    }
  }
}

function readField(draft: DraftCondition, fields: readonly ContactField[], days: number): Read {
  const { key, value: typed } = draft;
  const test = FIELD_TESTS.find((each) => each === draft.test) ?? "is";
  const field = fieldOf(fields, key);
  if (!field) return { part: "key", error: t.goneField };
  const wanted = wantedOf(draft, fields);
  if (wanted === "nothing") return { condition: { on: "field", key, test, value: null } };
  if (wanted === "days") return { condition: { on: "field", key, test, value: days } };
  const value = readTyped(typed, field);
  if (value === undefined) return { part: "value", error: typedError(field) };
  if (value === null) return { part: "value", error: t.required };
  return { condition: { on: "field", key, test, value } };
}

export const pathOf = (of: string, at: number): string => `${of}.items.${at}`;

export const errorAt = (errors: RuleErrors, path: string): string | null =>
  Object.entries(errors).find(([each]) => each === path || each.startsWith(`${path}.`))?.[1] ?? null;
