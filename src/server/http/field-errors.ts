import type { core, ZodError } from "zod";
import type { FieldCode, FieldError } from "../../contract/error-messages.ts";
import { FIELD_MESSAGES } from "../../contract/field-messages.ts";

/** No form has more; the answer must not outgrow the request. */
const MOST_NAMED = 20;

/** Longer names are not ours. */
const LONGEST_NAME = 200;

export const fieldName = (path: readonly (string | number)[]): string =>
  path.join(".").slice(0, LONGEST_NAME);

export function fieldErrors(error: ZodError): Record<string, FieldError> {
  const errors: Record<string, FieldError> = {};
  let named = 0;
  for (const issue of error.issues) {
    if (named >= MOST_NAMED) break;
    const path = issue.path.map(String);
    if (issue.code === "unrecognized_keys") {
      for (const key of issue.keys.slice(0, MOST_NAMED - named)) {
        errors[fieldName([...path, key])] = "unknown_field";
        named += 1;
      }
      continue;
    }
    named += 1;
    // A field's first error is fixed first.
    errors[fieldName(path)] ??= toError(issue);
  }
  return errors;
}

const FORMATS: Record<string, FieldError> = {
  email: "invalid_email",
  url: "invalid_url",
  datetime: "invalid_date",
  date: "invalid_date",
  time: "invalid_date",
};

function toError(issue: core.$ZodIssue): FieldError {
  switch (issue.code) {
    case "invalid_type":
      if (issue.expected === "int") return "not_integer";
      return issue.input === undefined ? "required" : "wrong_type";
    case "invalid_union":
      // Of a union the schema's message counts, unless it is a choice.
      if (issue.input !== undefined && isFieldCode(issue.message)) return issue.message;
      return issue.input === undefined ? "required" : "invalid_option";
    case "invalid_value":
      return issue.input === undefined ? "required" : "invalid_option";
    case "invalid_format":
      return FORMATS[issue.format] ?? "invalid";
    case "too_small":
      if (issue.origin === "string" && Number(issue.minimum) === 1) return "required";
      return { code: SMALL[issue.origin] ?? "too_small", n: Number(issue.minimum) };
    case "too_big":
      return { code: BIG[issue.origin] ?? "too_large", n: Number(issue.maximum) };
    default:
      return "invalid";
  }
}

const isFieldCode = (text: string): text is FieldCode => Object.hasOwn(FIELD_MESSAGES, text);

const SMALL: Record<string, "too_short" | "too_few"> = {
  string: "too_short",
  array: "too_few",
  set: "too_few",
};
const BIG: Record<string, "too_long" | "too_many"> = {
  string: "too_long",
  array: "too_many",
  set: "too_many",
};
