import { clsx } from "clsx";
import { ArrowDown, ArrowUp, LoaderCircle, Paperclip, Trash2 } from "lucide-react";
import { type DragEvent, type MouseEventHandler, useId, useLayoutEffect, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { MAX_PARTS } from "../../../domain/campaign.ts";
import { useMe } from "../../api/me.ts";
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
import { IconButton } from "../../ui/icon-button.tsx";
import layoutStyles from "../../ui/layout.module.css";
import { LazyUploadProgress } from "../../ui/lazy-upload-progress.tsx";
import textStyles from "../../ui/text.module.css";
import { toastFailed } from "../../ui/toast.tsx";
import { type FormFile, filesOf, messagesOf, withFiles } from "./form.ts";
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
  const error = upload.error ?? form.error("attachment") ?? form.error("more") ?? null;
  const files = filesOf(form.values);
  const take = (chosen: readonly File[]) => {
    const room = MAX_PARTS - files.length;
    if (chosen.length > room) toastFailed(t.filesFull(MAX_PARTS));
    void upload.takeAll(chosen.slice(0, room));
  };
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
        take([...event.dataTransfer.files]);
      }}
    >
      <legend className={fieldStyles.fieldLabel} data-ui="field-label">
        {t.file} <span className={fieldStyles.optional}>{commonText.optional}</span>
      </legend>
      <AttachmentPicker upload={upload} onSeveral={take} />
      {files.length > 0 && (
        <Files
          form={form}
          files={files}
          place={place}
          described={error === null ? undefined : `${id}-hint`}
        />
      )}
      {(sending || files.length < MAX_PARTS) && (
        <Place
          sending={sending ? upload : null}
          over={over}
          further={files.length > 0}
          describedBy={`${id}-hint`}
          invalid={error !== null && files.length === 0}
          onPick={(event) => {
            goOn.current = restoreFocus(event);
            upload.pick();
          }}
        />
      )}
      <Hint id={`${id}-hint`} error={error} hint={hintOf(form, files.length)} />
    </fieldset>
  );
}

function hintOf({ values }: CampaignFormState, files: number): string | undefined {
  const isApart = files > 0 && messagesOf(values).length > files;
  if (isApart) return t.filesApart;
  return files > 1 ? t.filesHint(MAX_PARTS) : undefined;
}

type FilesProps = {
  form: CampaignFormState;
  files: readonly FormFile[];
  place: { current: HTMLElement | null };
  described: string | undefined;
};

/** In the order in which they are sent. */
function Files({ form, files, place, described }: FilesProps) {
  const [moved, setMoved] = useState("");
  const change = (changed: readonly FormFile[]) =>
    flushSync(() => form.change(["attachment", "more"], () => withFiles(changed)));
  const move = (from: number, step: -1 | 1) => {
    const to = from + step;
    const { [from]: file } = files;
    if (!file || to < 0 || to >= files.length) return;
    change(files.toSpliced(from, 1).toSpliced(to, 0, file));
    setMoved(t.fileMoved(to + 1, files.length));
    const row = place.current?.querySelectorAll("li")[to];
    row?.querySelector<HTMLElement>(`[data-step="${step}"]:enabled, [data-step]:enabled`)?.focus();
  };
  return (
    <>
      <ol className={styles.files}>
        {files.map((file, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the same file may come twice
          <li key={at}>
            <Chosen
              file={file}
              nth={at + 1}
              all={files.length}
              describedBy={described}
              onMove={(step) => move(at, step)}
              onRemove={(event) => {
                const goOn = restoreFocus(event);
                change(files.toSpliced(at, 1));
                goOn(place.current?.querySelector("button"));
              }}
            />
          </li>
        ))}
      </ol>
      <span className={layoutStyles.srOnly} role="status">
        {moved}
      </span>
    </>
  );
}

type ChosenProps = {
  file: FormFile;
  nth: number;
  all: number;
  describedBy: string | undefined;
  onMove: (step: -1 | 1) => void;
  onRemove: MouseEventHandler;
};

function Chosen({ file, nth, all, describedBy, onMove, onRemove }: ChosenProps) {
  return (
    <div className={clsx(layoutStyles.row3, layoutStyles.frame, styles.fileRow)}>
      <AttachmentThumb file={file} />
      <div className={styles.words}>
        <AttachmentFacts file={file} />
        {file.reduced && <span className={fieldStyles.hint}>{attachmentText.reduced}</span>}
      </div>
      {all > 1 && (
        <>
          <IconButton
            small
            label={t.fileUp(nth)}
            icon={ArrowUp}
            data-step={-1}
            disabled={nth === 1}
            onClick={() => onMove(-1)}
          />
          <IconButton
            small
            label={t.fileDown(nth)}
            icon={ArrowDown}
            data-step={1}
            disabled={nth === all}
            onClick={() => onMove(1)}
          />
        </>
      )}
      <Button
        small
        look="ghost"
        icon={Trash2}
        className={clsx(styles.remove, all > 1 && styles.bare)}
        aria-label={all > 1 ? t.fileRemoveNth(nth) : t.fileRemoveSaid}
        aria-invalid={describedBy !== undefined || undefined}
        aria-describedby={describedBy}
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
  further: boolean;
  describedBy: string;
  invalid: boolean;
  onPick: MouseEventHandler;
};

function Place({ sending, over, further, describedBy, invalid, onPick }: PlaceProps) {
  const { attachmentMb } = useMe();
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
        {over ? t.fileDrop : attachmentText.limits(attachmentMb)}
      </span>
      <Button
        small
        icon={Paperclip}
        onClick={onPick}
        aria-invalid={invalid || undefined}
        aria-describedby={invalid ? describedBy : undefined}
      >
        {further ? t.fileAdd : t.fileChoose}
      </Button>
    </div>
  );
}
