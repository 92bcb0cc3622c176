import { useState } from "react";
import { settingsText } from "../../messages/settings.ts";
import { Button } from "../../ui/button.tsx";
import { SectionCard } from "../../ui/card.tsx";
import { RemoveDialog } from "./remove-dialog.tsx";
import styles from "./settings.module.css";

const t = settingsText.remove;

export function RemoveSection() {
  const [open, setOpen] = useState(false);
  return (
    <SectionCard title={t.title} explained={t.explained}>
      <div className={styles.settingsLine}>
        <p>{t.before}</p>
        <Button look="quiet-danger" onClick={() => setOpen(true)}>
          {t.open}
        </Button>
      </div>
      {open && <RemoveDialog onClose={() => setOpen(false)} />}
    </SectionCard>
  );
}
