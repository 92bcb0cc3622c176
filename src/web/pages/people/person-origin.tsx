import type { PersonOrigin as Origin, PersonDetails } from "../../../contract/people.ts";
import { useMe } from "../../api/me.ts";
import { formatDateTime } from "../../messages/format.ts";
import { personText as t } from "../../messages/people.ts";
import cardStyles from "../../ui/card.module.css";
import styles from "./person-page.module.css";

export function PersonOrigin({ person: { origin, updatedAt } }: { person: PersonDetails }) {
  const { timeZone } = useMe();
  const at = formatDateTime(origin.at, timeZone);
  const facts = [
    [t.from, originText(origin)],
    [t.when, origin.by === null ? at : t.by(at, origin.by)],
    ...(origin.basis === null
      ? []
      : [[t.basis, [t.bases[origin.basis], origin.basisNote].filter(Boolean).join(": ")]]),
    ...(updatedAt === origin.at ? [] : [[t.changed, formatDateTime(updatedAt, timeZone)]]),
  ];
  return (
    <section className={cardStyles.card} aria-label={t.origin}>
      <header className={cardStyles.cardHead}>
        <h2 className={cardStyles.cardTitle}>{t.origin}</h2>
      </header>
      <dl className={styles.facts}>
        {facts.map(([label, value]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

const originText = ({ kind, fileName, row }: Origin) =>
  kind === "file" ? t.origins.file(fileName, row) : t.origins[kind];
