import { useQuery } from "@tanstack/react-query";
import { useRef } from "react";
import type { Agent } from "../../../contract/agents.ts";
import {
  DEFAULT_MODEL,
  DEFAULT_TEMPERATURE,
  TEMPERATURE_MAX,
  TEMPERATURE_MIN,
} from "../../../domain/agent.ts";
import { templateMark } from "../../../domain/template-marks.ts";
import { ApiError, errorTextOf } from "../../api/api-error.ts";
import { api } from "../../api/call.ts";
import { onlyDiffering, type useForm } from "../../forms/use-form.ts";
import { FromLibrary } from "../../library/library-buttons.tsx";
import { useInsertion } from "../../library/use-insertion.ts";
import { agentsText } from "../../messages/agents.ts";
import { typedDecimal } from "../../messages/format.ts";
import fieldStyles from "../../ui/field.module.css";
import { Select, TextArea, TextInput } from "../../ui/inputs.tsx";
import layoutStyles from "../../ui/layout.module.css";
import textStyles from "../../ui/text.module.css";

const t = agentsText.form;

export type AgentValues = {
  name: string;
  description: string;
  instructions: string;
  model: string;
  temperature: string;
};

export const NEW_AGENT: AgentValues = {
  name: "",
  description: "",
  instructions: "",
  model: DEFAULT_MODEL,
  temperature: String(DEFAULT_TEMPERATURE),
};

export function valuesOf(agent: Agent): AgentValues {
  const { name, description, instructions, model, completion_args: args } = agent;
  const temperature = typedDecimal(args.temperature ?? DEFAULT_TEMPERATURE);
  return { name, description, instructions, model, temperature };
}

const numberOf = (typed: string) =>
  typed.trim() === "" ? Number.NaN : Number(typed.trim().replace(",", "."));

export function agentErrors({ name, temperature }: AgentValues) {
  const value = numberOf(temperature);
  const inside = value >= TEMPERATURE_MIN && value <= TEMPERATURE_MAX;
  return {
    name: name.trim() === "" ? t.nameRequired : null,
    temperature: inside ? null : t.temperatureInvalid,
  };
}

export const bodyOf = ({ name, description, instructions, model, temperature }: AgentValues) => ({
  name,
  description,
  instructions,
  model,
  completion_args: { temperature: numberOf(temperature) },
});

export const isUnsaved = (values: AgentValues, saved: AgentValues) =>
  Object.keys(onlyDiffering(values, saved)).length > 0;

/** Only the edited fields: another window may have changed the rest. */
export function changesOf(values: AgentValues, agent: Agent) {
  const { temperature, ...changed } = onlyDiffering(values, valuesOf(agent));
  if (temperature === undefined) return changed;
  return { ...changed, completion_args: { temperature: numberOf(temperature) } };
}

export function atTemperature(error: unknown): never {
  const text = error instanceof ApiError ? error.fields["completion_args.temperature"] : undefined;
  if (error instanceof ApiError && text !== undefined)
    throw new ApiError({
      code: error.code,
      text: error.text,
      status: error.status,
      fields: { ...error.fields, temperature: text },
    });
  throw error;
}

const isKeyMissing = (error: unknown) => error instanceof ApiError && error.code === "mistral_no_key";

type Form = ReturnType<typeof useForm<AgentValues>>;

export function AgentFields({ form }: { form: Form }) {
  const models = useQuery({
    queryKey: ["agents", "models"],
    queryFn: ({ signal }) => api("GET /api/mistral/models", { signal }),
    staleTime: 300_000,
    retry: false,
  });
  const area = useRef<HTMLTextAreaElement>(null);
  const { model: chosen, instructions } = form.values;
  const insert = useInsertion(area, instructions, (text) => form.set("instructions", text));
  const known = models.data?.models.map(({ id, name }) => ({ value: id, label: name })) ?? [];
  const options = known.some(({ value }) => value === chosen)
    ? known
    : [{ value: chosen, label: chosen }, ...known];
  return (
    <>
      <TextInput label={t.name} autoComplete="off" {...form.text("name")} />
      <TextInput
        label={t.description}
        optional
        autoComplete="off"
        hint={t.descriptionHint}
        {...form.text("description")}
      />
      <div className={layoutStyles.stack2}>
        <TextArea
          ref={area}
          label={t.instructions}
          optional
          rows={8}
          hint={t.instructionsHint}
          {...form.text("instructions")}
        />
        <div className={layoutStyles.cluster}>
          <FromLibrary
            context={t.pickContext}
            onPick={({ name, text, attachment }) =>
              insert(attachment ? t.sendsTemplate(name, templateMark(name)) : text)
            }
          />
        </div>
      </div>
      <div className={fieldStyles.row2}>
        <Select
          label={t.model}
          options={options}
          hint={
            models.error && !isKeyMissing(models.error)
              ? errorTextOf(models.error, t.modelsFailed)
              : undefined
          }
          {...form.text("model")}
        />
        <TextInput
          label={t.temperature}
          inputMode="decimal"
          autoComplete="off"
          className={textStyles.num}
          hint={t.temperatureHint}
          {...form.text("temperature")}
        />
      </div>
    </>
  );
}
