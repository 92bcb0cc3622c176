import { useId } from "react";
import type { ContactField, FieldValue } from "../../../contract/contact-fields.ts";
import type { Person } from "../../../contract/people.ts";
import { formatPhone } from "../../../domain/phone-written.ts";
import { errorTextOf } from "../../api/api-error.ts";
import { api } from "../../api/call.ts";
import { peopleText } from "../../messages/people.ts";
import { SmallError } from "../../ui/error-notice.tsx";
import fieldStyles from "../../ui/field.module.css";
import { fieldText } from "../../ui/field-text.ts";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { toastDone } from "../../ui/toast.tsx";
import { useWindowForm } from "../../ui/use-window-form.ts";
import styles from "./people.module.css";
import { usePeopleChanged } from "./use-people-changed.ts";

const t = peopleText.merge;

type Side = "mine" | "other";
type Props = { person: Person; other: Person; fields: readonly ContactField[]; onClose: () => void };

/** What only one record knows is kept by itself. */
export function MergeDialog({ person, other, fields, onClose }: Props) {
  const changed = usePeopleChanged();
  const differing = fields.filter(({ key }) => {
    const [mine, theirs] = [person.fields[key], other.fields[key]];
    return mine !== undefined && theirs !== undefined && mine !== theirs;
  });
  const form = useWindowForm<Record<string, Side>>(`merge ${person.id}`, {
    // The phone that was just typed is the other one's.
    initial: {
      name: person.name ? "mine" : "other",
      phone: "other",
      ...Object.fromEntries(differing.map(({ key }) => [`fields.${key}`, "mine" as const])),
    },
    validate: () => ({}),
    submit: async (chosen) => {
      const from = (name: string) => (chosen[name] === "other" ? other : person);
      const values = fields.flatMap(({ key }): [string, FieldValue][] => {
        const value = from(`fields.${key}`).fields[key] ?? person.fields[key] ?? other.fields[key];
        return value === undefined ? [] : [[key, value]];
      });
      const merged = await api("POST /api/people/{id}/merge", {
        params: { id: person.id },
        body: {
          otherId: other.id,
          // Without +, foreign digits could be read as a Brazilian number.
          phone: `+${from("phone").phone}`,
          name: from("name").name,
          fields: Object.fromEntries(values),
        },
      });
      await changed();
      onClose();
      toastDone(t.done(merged.name || formatPhone(merged.phone)));
    },
  });
  return (
    <FormDialog
      title={t.title}
      context={t.context}
      size="mid"
      form={form}
      verb={t.verb}
      busyText={t.busy}
      onClose={onClose}
    >
      {form.submitError !== null && <SmallError title={t.failed} text={errorTextOf(form.submitError, "")} />}
      <div className={styles.sides}>
        <Choice
          form={form}
          name="phone"
          label={peopleText.phone}
          of={({ phone }) => formatPhone(phone)}
          people={[person, other]}
        />
        <Choice
          form={form}
          name="name"
          label={peopleText.name}
          of={({ name }) => name}
          people={[person, other]}
        />
        {differing.map((field) => (
          <Choice
            key={field.id}
            form={form}
            name={`fields.${field.key}`}
            label={field.label}
            of={({ fields: values }) => fieldText(values[field.key], field)}
            people={[person, other]}
          />
        ))}
      </div>
    </FormDialog>
  );
}

type ChoiceProps = {
  form: { values: Record<string, Side>; set: (name: string, side: Side) => void };
  name: string;
  label: string;
  of: (person: Person) => string;
  people: readonly [Person, Person];
};

function Choice({ form, name, label, of, people: [mine, other] }: ChoiceProps) {
  const group = useId();
  const sides: { side: Side; text: string; whose: string }[] = [
    { side: "mine", text: of(mine), whose: t.mine },
    { side: "other", text: of(other), whose: t.other },
  ];
  return (
    <fieldset className={styles.side}>
      <legend className={fieldStyles.fieldLabel}>{t.keep(label)}</legend>
      {sides.map(({ side, text, whose }) => (
        <label key={side}>
          <input
            type="radio"
            name={group}
            checked={form.values[name] === side}
            onChange={() => form.set(name, side)}
          />
          <span>{text || t.none}</span>
          <span>{whose}</span>
        </label>
      ))}
    </fieldset>
  );
}
