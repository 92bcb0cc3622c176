import type { SentAs } from "../../domain/attachment.ts";

/** `share` 0–1, null for a file that goes at once; `lost`: waits for the connection. */
export type UploadProgress = { share: number | null; lost: boolean };

export type UploadWatch = { signal?: AbortSignal; onProgress?: (progress: UploadProgress) => void };

export type Named = { name: string; as?: SentAs };

export const NO_PROGRESS: UploadProgress = { share: null, lost: false };
