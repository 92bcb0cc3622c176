import type { Attachment } from "../../contract/files.ts";
import { UPLOAD_PIECE_BYTES } from "../../domain/attachment.ts";
import { api } from "./call.ts";
import type { Named, UploadWatch } from "./upload-watch.ts";

export async function uploadFile(file: Blob, query: Named, watch: UploadWatch): Promise<Attachment> {
  if (file.size > UPLOAD_PIECE_BYTES) {
    const { uploadInPieces } = await import("./upload-pieces.ts");
    return uploadInPieces(file, query, watch);
  }
  const { signal } = watch;
  return api("POST /api/attachments", { query, body: file, ...(signal ? { signal } : {}) });
}
