import { Download } from "lucide-react";
import { settingsText } from "../../messages/settings.ts";
import { SectionCard } from "../../ui/card.tsx";
import { DownloadButton } from "../../ui/link-button.tsx";

const t = settingsText.data;

/** A browser download: the file may exceed the page's memory. */
export function DataSection() {
  return (
    <SectionCard title={t.title} explained={t.explained}>
      <div className="settings-line">
        <p>{t.format}</p>
        <DownloadButton href="/api/settings/export" download icon={Download}>
          {t.export}
        </DownloadButton>
      </div>
    </SectionCard>
  );
}
