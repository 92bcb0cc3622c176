import { clsx } from "clsx";
import { useState } from "react";
import type { ContactField, FieldKind } from "../../../contract/contact-fields.ts";
import type { ColumnMapping, ImportDraft } from "../../../contract/import-drafts.ts";
import { importText as t } from "../../messages/import.ts";
import { Button } from "../../ui/button.tsx";
import { Select, TextInput } from "../../ui/inputs.tsx";
import styles from "./import.module.css";
import { nameOf } from "./import-question.tsx";
import type { Question } from "./use-import-columns.ts";

type Props = {
  draft: ImportDraft;
  open: readonly Question[];
  fields: readonly ContactField[];
  onChange: (at: number, mapping: ColumnMapping) => void;
};

/** Of wider tables, columns that are not imported are folded. */
const FOLDED_FROM = 24;

export function ImportColumns({ draft, open, fields, onChange }: Props) {
  const [all, setAll] = useState(draft.columns.length <= FOLDED_FROM);
  const isAsked = (at: number) => open.some(({ columns }) => columns.includes(at));
  const places = [...draft.columns.keys()];
  const shown = places.filter((at) => all || isAsked(at) || draft.columns[at]?.mapping.role !== "ignore");
  return (
    <section aria-label={t.columns} className={styles.columns}>
      <h3>{t.columns}</h3>
      <p className={styles.sub}>{t.columnsMean}</p>
      <ul>
        {shown.map((at) => (
          <Column key={at} draft={draft} at={at} isAsked={isAsked(at)} fields={fields} onChange={onChange} />
        ))}
      </ul>
      {shown.length < places.length && (
        <Button small onClick={() => setAll(true)}>
          {t.showIgnored(places.length - shown.length)}
        </Button>
      )}
    </section>
  );
}

type ColumnProps = Omit<Props, "open"> & { at: number; isAsked: boolean };

function Column({ draft, at, isAsked, fields, onChange }: ColumnProps) {
  const column = draft.columns[at];
  if (!column) return null;
  const { mapping, samples, suggestion } = column;
  const name = nameOf(draft, at);
  return (
    <li className={clsx(isAsked && styles.asked, mapping.role === "ignore" && !isAsked && styles.ignored)}>
      <b>{name}</b>
      <span className={styles.samples}>{samples.length === 0 ? t.emptyColumn : samples.join(" · ")}</span>
      <div className={styles.becomes}>
        <Select
          label={t.becomes(name)}
          hiddenLabel
          options={[
            ...(isAsked ? [{ value: "", label: t.choose, disabled: true }] : []),
            ...optionsOf(fields),
          ]}
          value={isAsked ? "" : optionOf(mapping)}
          onChange={({ target }) => onChange(at, mappingOf(target.value, suggestion?.label || name))}
        />
        {mapping.role === "new_field" && (
          <TextInput
            key={mapping.label}
            label={t.fieldName(name)}
            hiddenLabel
            defaultValue={mapping.label}
            onBlur={({ target }) => {
              const label = target.value.trim();
              if (label !== "" && label !== mapping.label) onChange(at, { ...mapping, label });
            }}
          />
        )}
      </div>
    </li>
  );
}

const ROLES = ["ignore", "name", "surname", "phone", "ddi", "ddd", "phone_kind"] as const;
const KINDS: readonly FieldKind[] = ["text", "number", "date", "boolean"];

const optionsOf = (fields: readonly ContactField[]) => [
  ...ROLES.map((role) => ({ value: role, label: t.roles[role] })),
  ...fields.map(({ key, label }) => ({ value: `field ${key}`, label: t.known(label) })),
  ...KINDS.map((kind) => ({ value: `new ${kind}`, label: t.newField[kind] })),
];

function optionOf(mapping: ColumnMapping): string {
  if (mapping.role === "field") return `field ${mapping.field}`;
  return mapping.role === "new_field" ? `new ${mapping.kind}` : mapping.role;
}

function mappingOf(option: string, label: string): ColumnMapping {
  const [role, rest = ""] = option.split(" ");
  if (role === "field") return { role, field: rest };
  if (role === "new") return { role: "new_field", label, kind: rest as FieldKind };
  if (role === "phone") return { role, rank: 1 };
  return { role: role as Exclude<(typeof ROLES)[number], "phone"> };
}
