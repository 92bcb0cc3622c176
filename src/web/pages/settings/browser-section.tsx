import { BellRing } from "lucide-react";
import { useState } from "react";
import { settingsText } from "../../messages/settings.ts";
import { askPermission, usePermission } from "../../notify/notify.ts";
import { Button } from "../../ui/button.tsx";
import { SectionCard } from "../../ui/card.tsx";
import fieldStyles from "../../ui/field.module.css";
import layoutStyles from "../../ui/layout.module.css";
import { Notice } from "../../ui/notice.tsx";
import { ChoiceBox } from "./choice-box.tsx";
import styles from "./settings.module.css";
import type { Choice, ChoiceName } from "./use-choices.ts";

const t = settingsText.notifications.browser;

export function BrowserSection({ choices }: { choices: (name: ChoiceName) => Choice }) {
  return (
    <SectionCard title={t.title} explained={t.explained}>
      <Permission />
      <fieldset className={fieldStyles.field}>
        <legend className={layoutStyles.srOnly}>{t.legend}</legend>
        {(["browserCampaignStatus", "browserNewMessage"] as const).map((name) => (
          <ChoiceBox key={name} name={name} choice={choices(name)} />
        ))}
      </fieldset>
    </SectionCard>
  );
}

function Permission() {
  const permission = usePermission();
  const [asking, setAsking] = useState(false);
  if (permission === "granted") return <Notice tone="success">{t.granted}</Notice>;
  if (permission === "denied")
    return (
      <Notice tone="warning">
        <p>
          <strong>{t.denied}</strong> {t.deniedText}
        </p>
      </Notice>
    );
  if (permission === "default")
    return (
      <div className={styles.settingsLine}>
        <p role="status">{asking ? t.asking : t.waiting}</p>
        <Button
          icon={BellRing}
          look="primary"
          onClick={async () => {
            setAsking(true);
            await askPermission();
            setAsking(false);
          }}
        >
          {t.allow}
        </Button>
      </div>
    );
  return (
    <Notice tone="warning">
      <p>
        <strong>{t.unsupported}</strong> {permission === "insecure" ? t.insecureText : t.unsupportedText}
      </p>
    </Notice>
  );
}
