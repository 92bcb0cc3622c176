import { type RefObject, useRef, useState } from "react";
import type { Attachment } from "../../contract/files.ts";
import { LARGEST_ATTACHMENT, type SentAs } from "../../domain/attachment.ts";
import { errorTextOf } from "../api/api-error.ts";
import { address } from "../api/call.ts";
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
  picker: RefObject<HTMLInputElement | null>;
};

/** Uploads at once: the preview is then what will be sent. */
export function useAttachmentUpload(onStored: (file: StoredFile) => void): AttachmentUpload {
  const picker = useRef<HTMLInputElement>(null);
  const [sending, setSending] = useState(false);
  const [progress, setProgress] = useState(NO_PROGRESS);
  const [abort, setAbort] = useState<AbortController | null>(null);
  const [error, setError] = useState<string | null>(null);
  const take = async (file: File | undefined) => {
    if (!file || sending) return;
    setError(null);
    setSending(true);
    setProgress(NO_PROGRESS);
    const made = new AbortController();
    setAbort(made);
    const watch = { signal: made.signal, onProgress: setProgress };
    const stored = await storeFile(file, undefined, watch);
    setSending(false);
    if ("error" in stored) setError(stored.error);
    else onStored(stored);
  };
  const cancel = () => abort?.abort();
  const cancelled = abort?.signal.aborted === true;
  return { sending, progress, cancel, cancelled, error, pick: () => picker.current?.click(), take, picker };
}

/** No error: cancelled. */
export async function storeFile(
  file: File,
  as?: SentAs,
  watch: UploadWatch = {},
): Promise<StoredFile | { error: string | null }> {
  // Checked before 100 MB are uploaded in vain.
  if (file.size > LARGEST_ATTACHMENT)
    return { error: attachmentText.fileTooLarge(LARGEST_ATTACHMENT / 1024 / 1024) };
  try {
    const query = { name: file.name, ...(as ? { as } : {}) };
    const stored = await uploadFile(file, query, watch);
    return { ...stored, name: stored.name || file.name };
  } catch (thrown) {
    if (watch.signal?.aborted) return { error: null };
    return { error: errorTextOf(thrown, attachmentText.fileFailed) };
  }
}

export function AttachmentPicker({ upload }: { upload: Pick<AttachmentUpload, "picker" | "take"> }) {
  return (
    <input
      ref={upload.picker}
      type="file"
      className={layoutStyles.srOnly}
      tabIndex={-1}
      aria-hidden="true"
      onChange={({ target }) => {
        void upload.take(target.files?.[0]);
        // Lets the same file be chosen again.
        target.value = "";
      }}
    />
  );
}

export const attachmentAddress = (id: number) => address("/api/attachments/{id}", { params: { id } });
