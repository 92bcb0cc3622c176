import type { ContactField, FieldChanges, FieldValues } from "../../../contract/contact-fields.ts";
import { peopleText } from "../../messages/people.ts";
import { readTyped, typedError, typedValue } from "../../ui/field-text.ts";
import { Select, TextInput } from "../../ui/inputs.tsx";

export type FieldForm = Record<string, string>;

/** Name of a field's control, as the server's answer calls it too. */
export const controlOf = ({ key }: ContactField) => `fields.${key}`;

export const typedFields = (fields: readonly ContactField[], values: FieldValues): FieldForm =>
  Object.fromEntries(fields.map((field) => [controlOf(field), typedValue(values[field.key], field)]));

export function fieldErrors(fields: readonly ContactField[], form: FieldForm) {
  return Object.fromEntries(
    fields.map((field) => [
      controlOf(field),
      readTyped(form[controlOf(field)] ?? "", field) === undefined ? typedError(field) : null,
    ]),
  );
}

/** Only what differs from `before`, so that a value that was changed elsewhere stays. */
export function changedFields(
  fields: readonly ContactField[],
  form: FieldForm,
  before: FieldForm,
): FieldChanges {
  return Object.fromEntries(
    fields
      .filter((field) => form[controlOf(field)] !== before[controlOf(field)])
      .map((field) => [field.key, readTyped(form[controlOf(field)] ?? "", field) ?? null]),
  );
}

type Bound = {
  name: string;
  value: string;
  error: string | null;
  onChange: (event: { target: { value: string } }) => void;
  onBlur: () => unknown;
};

export function FieldInput({ field, ...bound }: { field: ContactField } & Bound) {
  const { label, kind } = field;
  if (kind === "boolean")
    return (
      <Select
        label={label}
        options={[
          { value: "", label: peopleText.form.notSet },
          { value: "true", label: peopleText.yes },
          { value: "false", label: peopleText.no },
        ]}
        {...bound}
      />
    );
  return (
    <TextInput
      label={label}
      autoComplete="off"
      {...(kind === "number" ? { inputMode: "decimal" as const } : {})}
      {...(kind === "date" ? { placeholder: peopleText.form.datePlaceholder } : {})}
      {...bound}
    />
  );
}
