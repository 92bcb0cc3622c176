import type { z } from "zod";
import type { agents } from "../../contract/agents.ts";
import type { FieldError } from "../../contract/error-messages.ts";
import { textFieldError } from "../../contract/text-errors.ts";
import {
  AGENT_DESCRIPTION_MAX,
  AGENT_INSTRUCTIONS_MAX,
  AGENT_NAME_MAX,
  TEMPERATURE_MAX,
  TEMPERATURE_MIN,
} from "../../domain/agent.ts";
import { codePoints, isBlank, lineError, normalizeLine, normalizeText } from "../../domain/message-text.ts";
import { fieldError } from "../http/errors.ts";
import type { AgentInput } from "./mistral-types.ts";

type Typed = z.output<typeof agents.update.body>;

/** Throws `invalid_fields` with every refused field. */
export function agentFields(typed: Typed): Partial<AgentInput> {
  const { name, description, instructions, model, completion_args: args } = typed;
  const fields: Partial<AgentInput> = {};
  if (name !== undefined) fields.name = normalizeLine(name);
  if (description !== undefined) fields.description = normalizeText(description).trim();
  if (instructions !== undefined) fields.instructions = normalizeText(instructions).trim();
  if (model !== undefined) fields.model = model.trim();
  if (args !== undefined) fields.temperature = args.temperature;
  const errors = errorsOf(fields);
  if (Object.keys(errors).length > 0) throw fieldError(errors);
  return fields;
}

function errorsOf(fields: Partial<AgentInput>): Record<string, FieldError> {
  const { name, description, instructions, model, temperature } = fields;
  const found: Record<string, FieldError | null> = {
    name: name === undefined ? null : textFieldError(lineError(name, AGENT_NAME_MAX), AGENT_NAME_MAX),
    description: textError(description, AGENT_DESCRIPTION_MAX),
    instructions: textError(instructions, AGENT_INSTRUCTIONS_MAX),
    model: model !== undefined && isBlank(model) ? "required" : null,
    "completion_args.temperature": temperature === undefined ? null : temperatureError(temperature),
  };
  const errors: Record<string, FieldError> = {};
  for (const [field, error] of Object.entries(found)) if (error !== null) errors[field] = error;
  return errors;
}

function textError(text: string | undefined, max: number): FieldError | null {
  if (text === undefined) return null;
  return codePoints(text) > max ? { code: "too_long", n: max } : null;
}

function temperatureError(temperature: number): FieldError | null {
  if (temperature < TEMPERATURE_MIN) return { code: "too_small", n: TEMPERATURE_MIN };
  return temperature > TEMPERATURE_MAX ? { code: "too_large", n: TEMPERATURE_MAX } : null;
}
