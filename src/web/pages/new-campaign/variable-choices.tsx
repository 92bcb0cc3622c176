import { markOf } from "../../../domain/variables.ts";
import { newCampaignText as t } from "../../messages/new-campaign.ts";
import { serverWords } from "../../messages/server.ts";
import { Select, TextInput } from "../../ui/inputs.tsx";
import layoutStyles from "../../ui/layout.module.css";
import type { CampaignFormState } from "./use-campaign-form.ts";
import type { Variables } from "./use-variables.ts";
import { fallbackFieldError } from "./validate.ts";

type Props = { form: CampaignFormState; variables: Variables };

export function VariableChoices({ form, variables }: Props) {
  return variables.used.map(({ key, label }) => (
    <Choice key={key} name={key} label={label} form={form} missing={variables.missing(key)} />
  ));
}

type ChoiceProps = { name: string; label: string; form: CampaignFormState; missing: number | undefined };

function Choice({ name, label, form, missing }: ChoiceProps) {
  const all = form.values.variables;
  const chosen = all.find(({ key }) => key === name);
  const shown = form.error("variables") !== null;
  const choose = (fallback: string | null | undefined) => {
    const others = all.filter(({ key }) => key !== name);
    form.set("variables", fallback === undefined ? others : [...others, { key: name, fallback }]);
  };
  const invalid = chosen && fallbackFieldError(chosen);
  return (
    <div className={layoutStyles.stack2}>
      <Select
        label={t.without(label, markOf(name))}
        value={chosen === undefined ? "" : chosen.fallback === null ? "leave" : "text"}
        error={shown && chosen === undefined ? t.undecided : null}
        hint={missing === undefined ? t.withoutHint : t.missing(missing)}
        onChange={({ target: { value } }) => choose(value === "" ? undefined : value === "leave" ? null : "")}
        options={[
          { value: "", label: t.choose },
          { value: "leave", label: t.leaveOut },
          { value: "text", label: t.otherText },
        ]}
      />
      {typeof chosen?.fallback === "string" && (
        <TextInput
          label={t.insteadOf(label)}
          value={chosen.fallback}
          error={shown && invalid ? serverWords.fieldText(invalid) : null}
          onChange={({ target: { value } }) => choose(value)}
          autoComplete="off"
        />
      )}
    </div>
  );
}
