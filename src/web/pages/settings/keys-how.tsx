import { settingsText } from "../../messages/settings.ts";
import { SectionCard } from "../../ui/card.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import layoutStyles from "../../ui/layout.module.css";
import { ScrollRegion } from "../../ui/scroll-region.tsx";
import { FileLink } from "../../ui/text-link.tsx";
import styles from "./keys.module.css";

const t = settingsText.keys.how;

export function KeysHow() {
  const sample = `curl ${location.origin}/api/whatsapp/devices \\\n  -H "Authorization: Bearer ${t.placeholder}"`;
  return (
    <SectionCard title={t.title} explained={t.text}>
      <div className={styles.settingsSample}>
        <ScrollRegion label={t.sample}>
          <pre>{sample}</pre>
        </ScrollRegion>
        <CopyButton text={sample} />
      </div>
      <p>
        <FileLink href="/api/docs" target="_blank" rel="noreferrer">
          {t.docs}
          <span className={layoutStyles.srOnly}> {t.newTab}</span>
        </FileLink>
      </p>
    </SectionCard>
  );
}
