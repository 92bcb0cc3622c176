import { clsx } from "clsx";
import { useEffect, useEffectEvent, useRef, useState } from "react";
import type { ContactField } from "../../../contract/contact-fields.ts";
import type { Person } from "../../../contract/people.ts";
import { errorTextOf } from "../../api/api-error.ts";
import { api } from "../../api/call.ts";
import { peopleText as t } from "../../messages/people.ts";
import fieldStyles from "../../ui/field.module.css";
import { readTyped, typedError, typedValue } from "../../ui/field-text.ts";
import { toastFailed, toastFieldError } from "../../ui/toast.tsx";
import styles from "./people.module.css";
import { usePeopleChanged } from "./use-people-changed.ts";

type Props = { person: Person; who: string; field: ContactField };

export function ValueInput({ person, who, field }: Props) {
  const { text, set, error, save, restore } = useValue(person, field);
  const bound = {
    className: fieldStyles.input,
    "data-ui": "input",
    "aria-label": t.valueOf(field.label, who),
    "aria-invalid": error ? true : undefined,
    value: text,
    onBlur: () => void save(text),
    onKeyDown: ({ key }: { key: string }) => {
      if (key === "Enter") void save(text);
      if (key === "Escape") restore();
    },
  };
  if (field.kind === "boolean")
    return (
      <select
        {...bound}
        onChange={({ target: { value } }) => {
          set(value);
          void save(value);
        }}
      >
        <option value="">{t.form.notSet}</option>
        <option value="true">{t.yes}</option>
        <option value="false">{t.no}</option>
      </select>
    );
  return (
    <input
      {...bound}
      className={clsx(fieldStyles.input, styles.valueInput)}
      type="text"
      inputMode={field.kind === "number" ? "decimal" : undefined}
      autoComplete="off"
      onChange={({ target }) => set(target.value)}
    />
  );
}

function useValue(person: Person, field: ContactField) {
  const stored = typedValue(person.fields[field.key], field);
  const [typed, setTyped] = useState<string | null>(null);
  const [error, setError] = useState(false);
  const saving = useRef<string | null>(null);
  const changed = usePeopleChanged();
  const text = typed ?? stored;
  const save = async (now: string) => {
    if (now === stored) return setTyped(null);
    // Enter and the blur after it are one change.
    if (saving.current === now) return;
    const value = readTyped(now, field);
    if (value === undefined) {
      setError(true);
      return toastFieldError(typedError(field));
    }
    saving.current = now;
    try {
      const body = { fields: { [field.key]: value } };
      await api("PATCH /api/people/{id}", { params: { id: person.id }, body });
      await changed();
      setTyped(null);
      setError(false);
    } catch (thrown) {
      setError(true);
      toastFailed(errorTextOf(thrown, t.form.saveFailed));
    } finally {
      saving.current = null;
    }
  };
  // A row that is scrolled away is taken down without a blur.
  const saveUnseen = useEffectEvent(() => {
    if (typed !== null) void save(typed);
  });
  useEffect(() => () => saveUnseen(), []);
  return {
    text,
    set: setTyped,
    error,
    save,
    restore: () => {
      setTyped(null);
      setError(false);
    },
  };
}
