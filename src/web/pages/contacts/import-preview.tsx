import { clsx } from "clsx";
import type { ContactField, FieldValue } from "../../../contract/contact-fields.ts";
import type { DraftRow, ImportDraft } from "../../../contract/import-drafts.ts";
import { renderMessage } from "../../../domain/message-text.ts";
import { formatPhone } from "../../../domain/phone-written.ts";
import { formatNumber } from "../../messages/format.ts";
import { importText as t } from "../../messages/import.ts";
import bubbleStyles from "../../ui/bubble.module.css";
import { fieldText } from "../../ui/field-text.ts";
import { ScrollRegion } from "../../ui/scroll-region.tsx";
import styles from "./import.module.css";

const GREETED = 3;

export const greeting = (name: string) => renderMessage(t.greeting, name, "");

/** So that a wrong name column is seen. */
export function Greetings({ rows }: { rows: readonly DraftRow[] }) {
  const people = rows.filter(({ outcome }) => outcome !== "refused").slice(0, GREETED);
  if (people.length === 0) return null;
  return (
    <section aria-label={t.greeted} className={styles.greetings}>
      <h3>{t.greeted}</h3>
      <ol>
        {people.map(({ row, name, phone }) => (
          <li key={row}>
            <span data-ui="num">{formatPhone(phone)}</span>
            <span className={clsx(bubbleStyles.bubble, bubbleStyles.mine)}>{greeting(name)}</span>
          </li>
        ))}
      </ol>
    </section>
  );
}

type Shown = { key: string; label: string; field: ContactField };

export function ImportRows({
  draft,
  fields,
  busy,
}: {
  draft: ImportDraft;
  fields: readonly ContactField[];
  busy: boolean;
}) {
  const shown = fieldsShown(draft, fields);
  const [first, last] = [draft.rows[0]?.row ?? 0, draft.rows.at(-1)?.row ?? 0];
  return (
    <div aria-busy={busy} className={styles.preview}>
      <h3>{t.firstPeople}</h3>
      <p className={styles.sub}>{draft.rows.length === 0 ? t.noRows : t.rowsShown(first, last)}</p>
      <ScrollRegion label={t.firstPeople} className={styles.rows}>
        <table>
          <thead>
            <tr>
              <th scope="col">{t.row}</th>
              <th scope="col">{t.roles.name}</th>
              <th scope="col">{t.roles.phone}</th>
              {shown.map(({ key, label }) => (
                <th key={key} scope="col">
                  {label}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {draft.rows.map((row) => (
              <PreviewRow key={`${row.row} ${row.phone}`} row={row} shown={shown} draft={draft} />
            ))}
          </tbody>
        </table>
      </ScrollRegion>
    </div>
  );
}

function PreviewRow({ row, shown, draft }: { row: DraftRow; shown: readonly Shown[]; draft: ImportDraft }) {
  const isRefused = row.outcome === "refused";
  const unread = new Set(row.unread.map((at) => keyOf(draft, at)));
  return (
    <tr className={clsx(isRefused && styles.refused)}>
      <td data-ui="num">{formatNumber(row.row)}</td>
      <td>{row.name || <span className={styles.sub}>{t.nameless}</span>}</td>
      <td data-ui="num">
        {isRefused ? row.phone : formatPhone(row.phone)}
        {row.reason && <span className={styles.why}>{row.reason.text}</span>}
        {row.outcome === "repeated" && <span className={styles.sub}> {t.repeatedRow}</span>}
      </td>
      {shown.map(({ key, field }) => (
        <td key={key}>
          {unread.has(key) ? <span className={styles.why}>{t.unreadCell}</span> : valueText(row, key, field)}
        </td>
      ))}
    </tr>
  );
}

const valueText = ({ fields }: DraftRow, key: string, field: ContactField) =>
  fieldText(fields[key] as FieldValue | undefined, field);

function keyOf({ columns }: ImportDraft, at: number): string {
  const mapping = columns[at]?.mapping;
  if (mapping?.role === "field") return mapping.field;
  return mapping?.role === "new_field" ? mapping.label : "";
}

function fieldsShown({ columns }: ImportDraft, fields: readonly ContactField[]): Shown[] {
  const shown = new Map<string, Shown>();
  for (const { mapping } of columns) {
    const known = mapping.role === "field" ? fields.find(({ key }) => key === mapping.field) : undefined;
    if (known) shown.set(known.key, { key: known.key, label: known.label, field: known });
    if (mapping.role !== "new_field") continue;
    const { label, kind } = mapping;
    shown.set(label, { key: label, label, field: { id: 0, key: label, label, kind } });
  }
  return [...shown.values()];
}
