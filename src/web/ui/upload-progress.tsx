import type { MouseEventHandler } from "react";
import type { UploadProgress as Progress } from "../api/upload-watch.ts";
import { commonText } from "../messages/common.ts";
import { uploadText as t } from "../messages/upload.ts";
import { Button } from "./button.tsx";
import fieldStyles from "./field.module.css";
import { ProgressBar } from "./progress-bar.tsx";
import styles from "./upload-progress.module.css";

type Props = { progress: Progress; words: string; onCancel: MouseEventHandler };

/** Of a file in pieces. */
export function UploadProgress({ progress: { share, lost }, words, onCancel }: Props) {
  const whole = share ?? 0;
  return (
    <div className={styles.upload}>
      <div className={styles.facts}>
        <p className={fieldStyles.hint} data-ui="hint">
          <span role="status">{lost ? t.lost : words}</span>
          <span data-ui="num">{t.share(Math.floor(whole * 100))}</span>
        </p>
        <ProgressBar label={t.label} parts={[{ share: whole, ...(lost ? { tone: "held" } : {}) }]} />
      </div>
      <Button small look="ghost" onClick={onCancel}>
        {commonText.cancel}
      </Button>
    </div>
  );
}
