import { clsx } from "clsx";
import { LoaderCircle, Paperclip, Trash2 } from "lucide-react";
import { useId, useLayoutEffect, useRef } from "react";
import { flushSync } from "react-dom";
import type { AttachmentSummary } from "../../contract/files.ts";
import { useMe } from "../api/me.ts";
import { restoreFocus } from "../lib/restore-focus.ts";
import { attachmentText } from "../messages/attachments.ts";
import { commonText } from "../messages/common.ts";
import { templateFormText as t } from "../messages/template-form.ts";
import { AttachmentFacts, AttachmentThumb } from "../ui/attachment-facts.tsx";
import { AttachmentPicker, type AttachmentUpload } from "../ui/attachment-upload.tsx";
import { Button } from "../ui/button.tsx";
import fieldStyles from "../ui/field.module.css";
import { Hint } from "../ui/field.tsx";
import { Icon } from "../ui/icon.tsx";
import { IconButton } from "../ui/icon-button.tsx";
import layoutStyles from "../ui/layout.module.css";
import textStyles from "../ui/text.module.css";
import styles from "./library.module.css";

/** `reduced`: by the upload of this dialog. */
export type TemplateFile = AttachmentSummary & { reduced?: boolean };

type Props = {
  file: TemplateFile | null;
  upload: AttachmentUpload;
  error: string | null;
  onRemove: () => void;
};

export function TemplateFileField({ file, upload, error, onRemove }: Props) {
  const id = useId();
  const { attachmentMb } = useMe();
  const place = useRef<HTMLFieldSetElement>(null);
  const goOn = useRef<ReturnType<typeof restoreFocus>>(null);
  const { sending } = upload;
  const button = () => place.current?.querySelector("button");
  useLayoutEffect(() => {
    if (sending) return;
    goOn.current?.(place.current?.querySelector("button"));
    goOn.current = null;
  }, [sending]);
  const said = upload.error ?? error;
  const marks = said ? { "aria-invalid": true, "aria-describedby": `${id}-hint` } : {};
  return (
    <fieldset
      ref={place}
      className={fieldStyles.field}
      data-ui="field"
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        void upload.take(event.dataTransfer.files[0]);
      }}
    >
      <legend className={fieldStyles.fieldLabel} data-ui="field-label">
        {t.file} <span className={fieldStyles.optional}>{commonText.optional}</span>
      </legend>
      <AttachmentPicker upload={upload} />
      {sending ? (
        <p className={clsx(layoutStyles.row3, layoutStyles.frame, styles.file)} role="status">
          <Icon of={LoaderCircle} className={textStyles.spin} />
          {t.fileSending}
        </p>
      ) : file ? (
        <div className={clsx(layoutStyles.row3, layoutStyles.frame, styles.file)}>
          <AttachmentThumb file={file} />
          <div className={styles.facts}>
            <AttachmentFacts file={file} />
            {file.reduced && <span>{attachmentText.reduced}</span>}
          </div>
          <IconButton
            label={t.fileRemove}
            icon={Trash2}
            {...marks}
            onClick={(event) => {
              const focus = restoreFocus(event);
              flushSync(onRemove);
              focus(button());
            }}
          />
        </div>
      ) : (
        <Button
          small
          icon={Paperclip}
          className={styles.choose}
          {...marks}
          onClick={(event) => {
            goOn.current = restoreFocus(event);
            upload.pick();
          }}
        >
          {t.fileChoose}
        </Button>
      )}
      <Hint
        id={`${id}-hint`}
        hint={file ? null : t.fileHint(attachmentText.limits(attachmentMb))}
        error={said}
      />
    </fieldset>
  );
}
