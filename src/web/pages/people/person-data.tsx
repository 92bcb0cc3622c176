import { clsx } from "clsx";
import type { ContactField } from "../../../contract/contact-fields.ts";
import type { PersonDetails } from "../../../contract/people.ts";
import { formatPhone } from "../../../domain/phone-written.ts";
import { commonText } from "../../messages/common.ts";
import { peopleText, personText as t } from "../../messages/people.ts";
import cardStyles from "../../ui/card.module.css";
import { QueryError } from "../../ui/error-notice.tsx";
import { fieldText } from "../../ui/field-text.ts";
import layoutStyles from "../../ui/layout.module.css";
import styles from "./person-page.module.css";

type Fields = {
  data: ContactField[] | undefined;
  error: unknown;
  refetch: () => unknown;
  isFetching: boolean;
};

export function PersonData({ person, fields }: { person: PersonDetails; fields: Fields }) {
  const rows = [
    { key: "name", label: peopleText.name, value: person.name },
    { key: "phone", label: peopleText.phone, value: formatPhone(person.phone) },
    ...(fields.data ?? []).map((field) => ({
      key: `fields.${field.key}`,
      label: field.label,
      value: fieldText(person.fields[field.key], field),
    })),
  ];
  return (
    <section className={cardStyles.card} aria-label={t.data}>
      <header className={cardStyles.cardHead}>
        <h2 className={cardStyles.cardTitle}>{t.data}</h2>
      </header>
      {fields.error !== null && (
        <div className={layoutStyles.pad4}>
          <QueryError title={peopleText.fields.failed} query={fields} />
        </div>
      )}
      <dl className={clsx(styles.data, rows.length % 2 === 1 && styles.odd)}>
        {rows.map(({ key, label, value }) => (
          <div key={key}>
            <dt>{label}</dt>
            <dd>{value || commonText.none}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
