import type { FieldError } from "./answers.ts";
import type { AgentFields } from "./workspaces.ts";

const TEXTS = ["name", "model", "description", "instructions"] as const;
const REST = ["tools", "completion_args", "handoffs", "metadata"] as const;
/** Mistral's documented range. */
const TEMPERATURE = { least: 0, most: 1.5 };

/** pydantic's errors; unknown fields are ignored. */
export function readAgentFields(
  body: unknown,
  required: readonly string[],
): { fields: AgentFields; errors: FieldError[] } {
  if (typeof body !== "object" || body === null) {
    const error = { type: "missing", loc: ["body"], msg: "Field required", input: null };
    return { fields: {}, errors: [error] };
  }
  const given = new Map(Object.entries(body));
  const errors: FieldError[] = [];
  const fields: Record<string, unknown> = {};
  for (const name of TEXTS) {
    const value: unknown = given.get(name);
    if (value === undefined) {
      if (required.includes(name)) {
        errors.push({ type: "missing", loc: ["body", name], msg: "Field required", input: body });
      }
    } else if (typeof value === "string" || (value === null && !required.includes(name)))
      fields[name] = value;
    else errors.push(textError(name, value));
  }
  for (const name of REST) if (given.has(name)) fields[name] = given.get(name);
  return { fields, errors: [...errors, ...temperatureErrors(given.get("completion_args"))] };
}

const textError = (name: string, input: unknown): FieldError => ({
  type: "string_type",
  loc: ["body", name],
  input,
  msg: "Input should be a valid string",
});

function temperatureErrors(args: unknown): FieldError[] {
  if (typeof args !== "object" || args === null || !("temperature" in args)) return [];
  const { temperature: input } = args;
  const loc = ["body", "completion_args", "temperature"];
  if (input === null) return [];
  if (typeof input !== "number") {
    return [{ type: "float_type", loc, msg: "Input should be a valid number", input }];
  }
  const { least, most } = TEMPERATURE;
  if (input > most) {
    return [{ type: "less_than_equal", loc, msg: `Input should be less than or equal to ${most}`, input }];
  }
  if (input < least) {
    return [
      { type: "greater_than_equal", loc, msg: `Input should be greater than or equal to ${least}`, input },
    ];
  }
  return [];
}
