import { type RefObject, useRef, useState } from "react";
import type { Attachment } from "../../contract/files.ts";
import { mostBytes, type SentAs } from "../../domain/attachment.ts";
import { errorTextOf } from "../api/api-error.ts";
import { address } from "../api/call.ts";
import { useMe } from "../api/me.ts";
import { uploadFile } from "../api/upload.ts";
import { NO_PROGRESS, type UploadProgress, type UploadWatch } from "../api/upload-watch.ts";
import { attachmentText } from "../messages/attachments.ts";
import layoutStyles from "./layout.module.css";

/** `name`: of the chosen file, also where the stored one has none. */
export type StoredFile = Attachment;

export type AttachmentUpload = {
  sending: boolean;
  progress: UploadProgress;
  cancel: () => void;
  cancelled: boolean;
  error: string | null;
  pick: () => void;
  take: (file: File | undefined) => Promise<void>;
  /** One after the other; the first that fails ends it. */
  takeAll: (files: readonly File[]) => Promise<void>;
  picker: RefObject<HTMLInputElement | null>;
};

/** Uploads at once: the preview is then what will be sent. */
export function useAttachmentUpload(onStored: (file: StoredFile) => void): AttachmentUpload {
  const { attachmentMb } = useMe();
  const picker = useRef<HTMLInputElement>(null);
  const [sending, setSending] = useState(false);
  const [progress, setProgress] = useState(NO_PROGRESS);
  const [abort, setAbort] = useState<AbortController | null>(null);
  const [error, setError] = useState<string | null>(null);
  const takeAll = async (files: readonly File[]) => {
    if (files.length === 0 || sending) return;
    setError(null);
    setSending(true);
    const made = new AbortController();
    setAbort(made);
    for (const file of files) {
      setProgress(NO_PROGRESS);
      const watch = { signal: made.signal, onProgress: setProgress };
      const stored = await storeFile(file, attachmentMb, undefined, watch);
      if ("error" in stored) {
        setError(stored.error);
        break;
      }
      onStored(stored);
    }
    setSending(false);
  };
  const cancel = () => abort?.abort();
  const cancelled = abort?.signal.aborted === true;
  const take = (file: File | undefined) => takeAll(file ? [file] : []);
  const pick = () => picker.current?.click();
  return { sending, progress, cancel, cancelled, error, pick, take, takeAll, picker };
}

/** `mostMb`: of this installation. No error: cancelled. */
export async function storeFile(
  file: File,
  mostMb: number,
  as?: SentAs,
  watch: UploadWatch = {},
): Promise<StoredFile | { error: string | null }> {
  // Checked before 100 MB are uploaded in vain.
  if (file.size > mostBytes("document", mostMb)) return { error: attachmentText.fileTooLarge(mostMb) };
  try {
    const query = { name: file.name, ...(as ? { as } : {}) };
    const stored = await uploadFile(file, query, watch);
    return { ...stored, name: stored.name || file.name };
  } catch (thrown) {
    if (watch.signal?.aborted) return { error: null };
    return { error: errorTextOf(thrown, attachmentText.fileFailed) };
  }
}

type PickerProps = {
  upload: Pick<AttachmentUpload, "picker" | "take">;
  /** Several may be chosen at once. */
  onSeveral?: (files: readonly File[]) => void;
};

export function AttachmentPicker({ upload, onSeveral }: PickerProps) {
  return (
    <input
      ref={upload.picker}
      type="file"
      className={layoutStyles.srOnly}
      tabIndex={-1}
      aria-hidden="true"
      multiple={onSeveral !== undefined}
      onChange={({ target }) => {
        if (onSeveral) onSeveral([...(target.files ?? [])]);
        else void upload.take(target.files?.[0]);
        // Lets the same file be chosen again.
        target.value = "";
      }}
    />
  );
}

export const attachmentAddress = (id: number) => address("/api/attachments/{id}", { params: { id } });
