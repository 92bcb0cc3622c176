import { clsx } from "clsx";
import { commonText } from "../../messages/common.ts";
import { settingsText as t } from "../../messages/settings.ts";
import { Button } from "../../ui/button.tsx";
import layoutStyles from "../../ui/layout.module.css";
import styles from "./settings.module.css";

type Props = { unsaved: boolean; busy: boolean; verb?: string; busyText?: string; onCancel: () => void };

export function FormEnd({ unsaved, busy, verb = t.save, busyText = t.saving, onCancel }: Props) {
  return (
    <div className={clsx(layoutStyles.row, styles.settingsEnd)}>
      <p role="status">{unsaved && !busy ? t.unsaved : ""}</p>
      {unsaved && (
        <Button onClick={onCancel} disabled={busy}>
          {commonText.cancel}
        </Button>
      )}
      <Button type="submit" look={unsaved ? "primary" : "secondary"} busy={busy} busyText={busyText}>
        {verb}
      </Button>
    </div>
  );
}
