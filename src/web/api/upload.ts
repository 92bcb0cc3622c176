import type { Attachment } from "../../contract/files.ts";
import { type SentAs, UPLOAD_PIECE_BYTES } from "../../domain/attachment.ts";
import { api } from "./call.ts";

/** `share` 0–1, null for a file that goes at once; `lost`: waits for the connection. */
export type UploadProgress = { share: number | null; lost: boolean };

export type UploadWatch = { signal?: AbortSignal; onProgress?: (progress: UploadProgress) => void };

export type Named = { name: string; as?: SentAs };

export const NO_PROGRESS: UploadProgress = { share: null, lost: false };

export async function uploadFile(file: Blob, query: Named, watch: UploadWatch): Promise<Attachment> {
  if (file.size > UPLOAD_PIECE_BYTES) {
    const { uploadInPieces } = await import("./upload-pieces.ts");
    return uploadInPieces(file, query, watch);
  }
  const { signal } = watch;
  return api("POST /api/attachments", { query, body: file, ...(signal ? { signal } : {}) });
}
