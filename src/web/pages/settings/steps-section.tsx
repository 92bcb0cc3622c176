import { ListChecks } from "lucide-react";
import { useState } from "react";
import { useFirstSteps, useHideFirstSteps } from "../../api/first-steps.ts";
import { useMe } from "../../api/me.ts";
import { firstStepsText as t } from "../../messages/first-steps.ts";
import { Button } from "../../ui/button.tsx";
import { SectionCard } from "../../ui/card.tsx";
import { toastDone, toastFailed } from "../../ui/toast.tsx";
import styles from "./settings.module.css";

export function StepsSection() {
  const { stepsHidden } = useMe();
  const { data } = useFirstSteps(true);
  const hide = useHideFirstSteps();
  const [busy, setBusy] = useState(false);
  const over = data !== undefined && Object.values(data).every(Boolean);
  const show = async () => {
    setBusy(true);
    try {
      await hide(false);
      toastDone(t.showDone);
    } catch {
      toastFailed(t.failed);
    } finally {
      setBusy(false);
    }
  };
  return (
    <SectionCard title={t.again} explained={t.againText}>
      <div className={styles.settingsLine}>
        <p>{over ? t.allDone : stepsHidden ? t.hidden : t.shown}</p>
        {!over && stepsHidden && (
          <Button icon={ListChecks} busy={busy} onClick={() => void show()}>
            {t.show}
          </Button>
        )}
      </div>
    </SectionCard>
  );
}
