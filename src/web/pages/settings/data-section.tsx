import { Download } from "lucide-react";
import { settingsText } from "../../messages/settings.ts";
import { SectionCard } from "../../ui/card.tsx";
import { DownloadButton } from "../../ui/link-button.tsx";
import styles from "./settings.module.css";

const t = settingsText.data;

/** A browser download: the file may exceed the page's memory. */
export function DataSection() {
  return (
    <SectionCard title={t.title} explained={t.explained}>
      <div className={styles.settingsLine}>
        <p>{t.format}</p>
        <DownloadButton href="/api/settings/export" download icon={Download}>
          {t.export}
        </DownloadButton>
      </div>
    </SectionCard>
  );
}
