import { clsx } from "clsx";
import { Eraser, FileDown } from "lucide-react";
import { useState } from "react";
import type { PersonDetails } from "../../../contract/people.ts";
import { address } from "../../api/call.ts";
import { personText as t } from "../../messages/people.ts";
import { Button } from "../../ui/button.tsx";
import cardStyles from "../../ui/card.module.css";
import fieldStyles from "../../ui/field.module.css";
import layoutStyles from "../../ui/layout.module.css";
import { DownloadButton } from "../../ui/link-button.tsx";
import { ErasePersonDialog } from "./erase-person-dialog.tsx";
import styles from "./person-page.module.css";

type Props = { person: PersonDetails; onErased: () => void };

export function PersonRequests({ person, onErased }: Props) {
  const [asking, setAsking] = useState(false);
  return (
    <section className={cardStyles.card} aria-label={t.requests}>
      <header className={cardStyles.cardHead}>
        <h2 className={cardStyles.cardTitle}>{t.requests}</h2>
      </header>
      <div className={styles.inside}>
        <p className={fieldStyles.hint}>{t.requestsText}</p>
        <div className={clsx(layoutStyles.cluster, layoutStyles.top2)}>
          <DownloadButton
            small
            icon={FileDown}
            download
            href={address("/api/people/{id}/export.json", { params: { id: person.id } })}
          >
            {t.exportOne}
          </DownloadButton>
          <Button small look="quiet-danger" icon={Eraser} onClick={() => setAsking(true)}>
            {t.erase.open}
          </Button>
        </div>
      </div>
      {asking && <ErasePersonDialog person={person} onErased={onErased} onClose={() => setAsking(false)} />}
    </section>
  );
}
