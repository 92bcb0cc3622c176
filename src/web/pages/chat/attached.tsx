import { clsx } from "clsx";
import { LoaderCircle, Trash2, X } from "lucide-react";
import type { MouseEventHandler } from "react";
import { attachmentText } from "../../messages/attachments.ts";
import { chatText } from "../../messages/chat.ts";
import type { Draft, Quote } from "../../session/unsent.ts";
import { AttachmentFacts, AttachmentThumb } from "../../ui/attachment-facts.tsx";
import type { StoredFile } from "../../ui/attachment-upload.tsx";
import fieldStyles from "../../ui/field.module.css";
import { Icon } from "../../ui/icon.tsx";
import { IconButton } from "../../ui/icon-button.tsx";
import { LazyUploadProgress } from "../../ui/lazy-upload-progress.tsx";
import personStyles from "../../ui/person.module.css";
import textStyles from "../../ui/text.module.css";
import styles from "./composer.module.css";
import factStyles from "./facts.module.css";
import { QuotedWords } from "./quoted.tsx";

const t = chatText.send;

type AnsweredProps = { quote: Quote; who: string; onRemove: MouseEventHandler };

export function Answered({ quote, who, onRemove }: AnsweredProps) {
  return (
    <div className={styles.attached}>
      <div className={factStyles.quoted}>
        <QuotedWords quoted={quote} who={who} />
      </div>
      <IconButton label={t.removeQuote} icon={X} onClick={onRemove} />
    </div>
  );
}

type AttachedProps = {
  file: StoredFile | null;
  coming: Draft["coming"];
  over: boolean;
  onRemove: MouseEventHandler;
  onCancel: MouseEventHandler;
};

export function Attached({ file, coming, over, onRemove, onCancel }: AttachedProps) {
  if (over)
    return (
      <p className={clsx(styles.attached, fieldStyles.hint)} data-ui="hint">
        {t.drop}
      </p>
    );
  if (coming && coming.progress.share !== null)
    return (
      <div className={styles.attached}>
        <LazyUploadProgress progress={coming.progress} words={t.attaching} onCancel={onCancel} />
      </div>
    );
  if (coming)
    return (
      <p className={clsx(styles.attached, fieldStyles.hint)} data-ui="hint" role="status">
        <Icon of={LoaderCircle} className={textStyles.spin} />
        {t.attaching}
      </p>
    );
  if (!file) return null;
  return (
    <div className={styles.attached}>
      <AttachmentThumb file={file} />
      <div className={personStyles.person} data-ui="person">
        <AttachmentFacts file={file} />
        {file.reduced && <span>{attachmentText.reduced}</span>}
      </div>
      <IconButton label={t.removeFile} icon={Trash2} onClick={onRemove} />
    </div>
  );
}
