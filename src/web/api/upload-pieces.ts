import type { Attachment } from "../../contract/files.ts";
import { UPLOAD_PIECE_BYTES } from "../../domain/attachment.ts";
import { ApiError } from "./api-error.ts";
import { api } from "./call.ts";
import type { Named, UploadWatch } from "./upload-watch.ts";

/** A server that keeps forgetting the pieces does not share them between its processes. */
const MOST_STARTS = 3;
const PAUSES_MS = [1_000, 2_000, 4_000, 8_000, 15_000];
const LONGEST_PAUSE_MS = 30_000;

/** Goes on by itself after each lost connection, from where the server says, until `signal` ends it. */
export async function uploadInPieces(
  file: Blob,
  query: Named,
  { signal = new AbortController().signal, onProgress = () => undefined }: UploadWatch,
  wait: (ms: number, signal: AbortSignal) => Promise<void> = waitOnline,
): Promise<Attachment> {
  let place: { id: string; offset: number } | null = null;
  let failures = 0;
  let starts = 0;
  try {
    for (;;) {
      onProgress({ share: (place?.offset ?? 0) / file.size, lost: failures > 0 });
      try {
        place = await placeOf(file, place, failures > 0, signal);
        if (place.offset >= file.size)
          return await api("POST /api/attachments/uploads/{id}/complete", {
            params: { id: place.id },
            query,
            signal,
          });
        place = await sendPiece(file, place, signal);
        failures = 0;
      } catch (error) {
        const { code, details } = codeOf(error);
        if (place && code === "upload_offset") place = { ...place, offset: Number(details.offset) };
        else if (place && code === "not_found" && ++starts < MOST_STARTS) place = null;
        else if (isLost(error)) {
          failures += 1;
          onProgress({ share: (place?.offset ?? 0) / file.size, lost: true });
          await wait(PAUSES_MS[failures - 1] ?? LONGEST_PAUSE_MS, signal);
        } else throw error;
      }
    }
  } finally {
    if (place) void forget(place.id);
  }
}

type Place = { id: string; offset: number };

/** After a lost connection only the server knows how much arrived. */
async function placeOf(
  file: Blob,
  place: Place | null,
  unsure: boolean,
  signal: AbortSignal,
): Promise<Place> {
  if (!place) return api("POST /api/attachments/uploads", { body: { bytes: file.size }, signal });
  return unsure ? api("GET /api/attachments/uploads/{id}", { params: { id: place.id }, signal }) : place;
}

const sendPiece = (file: Blob, { id, offset }: Place, signal: AbortSignal): Promise<Place> =>
  api("PUT /api/attachments/uploads/{id}", {
    params: { id },
    query: { offset },
    body: file.slice(offset, offset + UPLOAD_PIECE_BYTES),
    signal,
  });

const forget = (id: string) =>
  api("DELETE /api/attachments/uploads/{id}", { params: { id } }).catch(() => undefined);

const codeOf = (error: unknown): Pick<ApiError, "code" | "details"> =>
  error instanceof ApiError ? error : { code: "", details: {} };

/** No answer, a proxy's in place of the server, or a server that starts. */
const isLost = (error: unknown): boolean =>
  error instanceof ApiError &&
  (error.status === 0 || (error.status >= 502 && ["unexpected", "starting"].includes(error.code)));

/** Ends early when the browser is online again. */
function waitOnline(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer);
      removeEventListener("online", end);
      signal.removeEventListener("abort", end);
      if (signal.aborted) reject(signal.reason as Error);
      else resolve();
    };
    const timer = setTimeout(end, ms);
    addEventListener("online", end);
    signal.addEventListener("abort", end);
  });
}
