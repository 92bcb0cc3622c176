import { type RefObject, useRef, useState } from "react";
import type { Image } from "../../contract/files.ts";
import { errorTextOf } from "../api/api-error.ts";
import { address, api } from "../api/call.ts";
import { commonText } from "../messages/common.ts";
import layoutStyles from "./layout.module.css";

const TYPES = ["image/jpeg", "image/png", "image/webp"];
/** The server's limit (contract/files.ts), checked before 5 MB are uploaded in vain. */
const MOST_BYTES = 5 * 1024 * 1024;

export type StoredImage = Pick<Image, "id" | "width" | "height" | "bytes"> & { name: string };

export type ImageUpload = {
  sending: boolean;
  error: string | null;
  pick: () => void;
  take: (file: File | undefined) => Promise<void>;
  picker: RefObject<HTMLInputElement | null>;
};

/** Uploads at once: the preview is then what will be sent. */
export function useImageUpload(onStored: (image: StoredImage) => void): ImageUpload {
  const picker = useRef<HTMLInputElement>(null);
  const [sending, setSending] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const take = async (file: File | undefined) => {
    if (!file || sending) return;
    setError(null);
    setSending(true);
    const stored = await storeImage(file);
    setSending(false);
    if ("error" in stored) setError(stored.error);
    else onStored(stored);
  };
  return { sending, error, pick: () => picker.current?.click(), take, picker };
}

export async function storeImage(file: File): Promise<StoredImage | { error: string }> {
  const refused = refusal(file);
  if (refused) return { error: refused };
  try {
    const { id, width, height, bytes } = await api("POST /api/images", { body: file });
    return { id, width, height, bytes, name: file.name };
  } catch (thrown) {
    return { error: errorTextOf(thrown, commonText.imageFailed) };
  }
}

function refusal(file: File): string | null {
  if (!TYPES.includes(file.type)) return commonText.imageUnsupported;
  return file.size > MOST_BYTES ? commonText.imageTooLarge : null;
}

export function ImagePicker({ upload }: { upload: Pick<ImageUpload, "picker" | "take"> }) {
  return (
    <input
      ref={upload.picker}
      type="file"
      accept={TYPES.join(",")}
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

export const imageAddress = (id: number) => address("/api/images/{id}", { params: { id } });
