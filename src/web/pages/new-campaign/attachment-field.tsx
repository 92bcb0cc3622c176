import { clsx } from "clsx";
import { LoaderCircle, Paperclip, Trash2 } from "lucide-react";
import { type DragEvent, type MouseEventHandler, useId, useLayoutEffect, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { restoreFocus } from "../../lib/restore-focus.ts";
import { attachmentText } from "../../messages/attachments.ts";
import { commonText } from "../../messages/common.ts";
import { newCampaignText as t } from "../../messages/new-campaign.ts";
import { AttachmentFacts, AttachmentThumb } from "../../ui/attachment-facts.tsx";
import { AttachmentPicker, type AttachmentUpload } from "../../ui/attachment-upload.tsx";
import { Button } from "../../ui/button.tsx";
import fieldStyles from "../../ui/field.module.css";
import { Hint } from "../../ui/field.tsx";
import { Icon } from "../../ui/icon.tsx";
import layoutStyles from "../../ui/layout.module.css";
import { LazyUploadProgress } from "../../ui/lazy-upload-progress.tsx";
import textStyles from "../../ui/text.module.css";
import type { FormFile } from "./form.ts";
import styles from "./new-campaign.module.css";
import type { CampaignFormState } from "./use-campaign-form.ts";

/** Stored at once: the preview is what will be sent. */
export function AttachmentField({ form }: { form: CampaignFormState }) {
  const id = useId();
  const place = useRef<HTMLFieldSetElement>(null);
  const goOn = useRef<ReturnType<typeof restoreFocus>>(null);
  const [over, setOver] = useState(false);
  const { upload } = form;
  const { sending } = upload;
  useLayoutEffect(() => {
    if (sending) return;
    // Restores focus once; the next file may be dropped.
    goOn.current?.(place.current?.querySelector("button"));
    goOn.current = null;
  }, [sending]);
  const error = upload.error ?? form.error("attachment") ?? null;
  const { attachment } = form.values;
  const drag = (inside: boolean) => (event: DragEvent) => {
    event.preventDefault();
    setOver(inside);
  };
  return (
    <fieldset
      ref={place}
      className={fieldStyles.field}
      data-ui="field"
      onDragOver={drag(true)}
      onDragLeave={drag(false)}
      onDrop={(event) => {
        drag(false)(event);
        void upload.take(event.dataTransfer.files[0]);
      }}
    >
      <legend className={fieldStyles.fieldLabel} data-ui="field-label">
        {t.file} <span className={fieldStyles.optional}>{commonText.optional}</span>
      </legend>
      <AttachmentPicker upload={upload} />
      {attachment && !sending ? (
        <Chosen
          file={attachment}
          describedBy={`${id}-hint`}
          invalid={error !== null}
          onRemove={(event) => {
            const goOn = restoreFocus(event);
            flushSync(() => form.set("attachment", null));
            goOn(place.current?.querySelector("button"));
          }}
        />
      ) : (
        <Place
          sending={sending ? upload : null}
          over={over}
          describedBy={`${id}-hint`}
          invalid={error !== null}
          onPick={(event) => {
            goOn.current = restoreFocus(event);
            upload.pick();
          }}
        />
      )}
      <Hint id={`${id}-hint`} error={error} />
    </fieldset>
  );
}

type ChosenProps = { file: FormFile; describedBy: string; invalid: boolean; onRemove: MouseEventHandler };

function Chosen({ file, describedBy, invalid, onRemove }: ChosenProps) {
  return (
    <div className={clsx(layoutStyles.row3, layoutStyles.frame, styles.fileRow)}>
      <AttachmentThumb file={file} />
      <div className={styles.words}>
        <AttachmentFacts file={file} />
        {file.reduced && <span className={fieldStyles.hint}>{attachmentText.reduced}</span>}
      </div>
      <Button
        small
        look="ghost"
        icon={Trash2}
        className={styles.remove}
        aria-label={t.fileRemoveSaid}
        aria-invalid={invalid || undefined}
        aria-describedby={invalid ? describedBy : undefined}
        onClick={onRemove}
      >
        <span className={layoutStyles.wideOnly}>{t.fileRemove}</span>
      </Button>
    </div>
  );
}

type PlaceProps = {
  sending: Pick<AttachmentUpload, "progress" | "cancel"> | null;
  over: boolean;
  describedBy: string;
  invalid: boolean;
  onPick: MouseEventHandler;
};

function Place({ sending, over, describedBy, invalid, onPick }: PlaceProps) {
  if (sending)
    return (
      <div className={clsx(layoutStyles.row3, layoutStyles.frame, styles.fileRow, styles.pick)}>
        {sending.progress.share === null ? (
          <span className={layoutStyles.row} role="status">
            <Icon of={LoaderCircle} className={textStyles.spin} />
            {t.fileSending}
          </span>
        ) : (
          <LazyUploadProgress progress={sending.progress} words={t.fileSending} onCancel={sending.cancel} />
        )}
      </div>
    );
  return (
    <div
      className={clsx(
        layoutStyles.row3,
        layoutStyles.frame,
        styles.fileRow,
        styles.pick,
        over && styles.over,
      )}
    >
      <span className={fieldStyles.hint} data-ui="hint">
        {over ? t.fileDrop : t.fileHint}
      </span>
      <Button
        small
        icon={Paperclip}
        onClick={onPick}
        aria-invalid={invalid || undefined}
        aria-describedby={invalid ? describedBy : undefined}
      >
        {t.fileChoose}
      </Button>
    </div>
  );
}
