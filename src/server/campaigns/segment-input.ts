import type { Condition, SegmentRule } from "../../contract/audiences.ts";
import type { FieldError } from "../../contract/error-messages.ts";
import { cleanLine } from "../../domain/contact-name.ts";
import { type FieldKind, readFieldValue } from "../../domain/field-values.ts";
import { DAYS_MOST, type FieldTest, SEGMENT_NAME_MAX, TESTS_OF_KIND } from "../../domain/segment.ts";

export type SegmentErrors = Record<string, FieldError>;

export type KnownFields = ReadonlyMap<string, FieldKind>;

type Gone = { lists: readonly number[]; campaigns: readonly number[] };

export function segmentName(typed: string): { name: string } | { error: FieldError } {
  const read = cleanLine(typed, SEGMENT_NAME_MAX);
  if ("error" in read)
    return { error: read.error === "bad_text" ? "invalid_text" : { code: "too_long", n: SEGMENT_NAME_MAX } };
  return read.line === "" ? { error: "required" } : { name: read.line };
}

/** By path, such as `rule.items.0.value`. */
export function ruleErrors(rule: SegmentRule, fields: KnownFields, gone: Gone): SegmentErrors {
  const errors: SegmentErrors = {};
  for (const [at, item] of rule.items.entries()) {
    const path = `rule.items.${at}`;
    if ("items" in item)
      for (const [nth, each] of item.items.entries())
        Object.assign(errors, conditionErrors(`${path}.items.${nth}`, each, fields, gone));
    else Object.assign(errors, conditionErrors(path, item, fields, gone));
  }
  return errors;
}

function conditionErrors(path: string, condition: Condition, fields: KnownFields, gone: Gone): SegmentErrors {
  switch (condition.on) {
    case "field":
      return fieldErrors(path, condition, fields);
    case "list":
      return gone.lists.includes(condition.listId) ? { [`${path}.listId`]: "invalid_option" } : {};
    case "campaign": {
      const { campaignId } = condition;
      const isGone = campaignId !== null && gone.campaigns.includes(campaignId);
      return isGone ? { [`${path}.campaignId`]: "invalid_option" } : {};
    }
    case "reply": {
      const needsDays = condition.test === "last_days" || condition.test === "older_days";
      if (needsDays && condition.days === null) return { [`${path}.days`]: "required" };
      return !needsDays && condition.days !== null ? { [`${path}.days`]: "invalid" } : {};
    }
    default:
      return {};
  }
}

const IN_DAYS: readonly FieldTest[] = ["last_days", "older_days", "next_days"];

function fieldErrors(
  path: string,
  { key, test, value }: Extract<Condition, { on: "field" }>,
  fields: KnownFields,
): SegmentErrors {
  const kind = key === "nome" ? "text" : fields.get(key);
  if (kind === undefined) return { [`${path}.key`]: "unknown_field" };
  if (!TESTS_OF_KIND[kind].includes(test)) return { [`${path}.test`]: "invalid_option" };
  const error = valueError(kind, test, value);
  return error === null ? {} : { [`${path}.value`]: error };
}

function valueError(kind: FieldKind, test: FieldTest, value: unknown): FieldError | null {
  if (test === "filled" || test === "empty") return value === null ? null : "invalid";
  if (value === null || value === "") return "required";
  if (IN_DAYS.includes(test)) {
    if (!Number.isInteger(value)) return "not_integer";
    if (Number(value) < 1) return { code: "too_small", n: 1 };
    return Number(value) > DAYS_MOST ? { code: "too_large", n: DAYS_MOST } : null;
  }
  const read = readFieldValue(kind, value);
  if ("error" in read) return read.error;
  return read.value === null ? "required" : null;
}
