import { AppError } from "../../domain/errors.ts";
import { hasTooManyParts } from "../net/json-parts.ts";
import { fieldError } from "./errors.ts";
import { fieldName } from "./field-errors.ts";

/** Refuses a body beyond its declared or allowed size while it arrives. */
export function limitedStream(request: Request, maxBytes: number): ReadableStream<Uint8Array> {
  if (Number(request.headers.get("content-length") ?? 0) > maxBytes) throw new AppError("payload_too_large");
  // A compressed body could expand to any size.
  const encoding = request.headers.get("content-encoding");
  if (encoding !== null && encoding !== "identity") throw new AppError("unsupported_media_type");
  if (!request.body) return new ReadableStream({ start: (controller) => controller.close() });
  let seen = 0;
  return request.body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        seen += chunk.byteLength;
        if (seen > maxBytes) throw new AppError("payload_too_large");
        controller.enqueue(chunk);
      },
    }),
  );
}

/**
 * 415 type, 413 size or too many parts (which would block the process), 400 not JSON, 422 text the database
 * cannot store.
 */
export async function readJson(request: Request, maxBytes: number): Promise<unknown> {
  refuseOtherThanJson(request);
  const bytes = await readBytes(limitedStream(request, maxBytes));
  if (hasTooManyParts(bytes, mostPartsOf(maxBytes))) throw new AppError("payload_too_large");
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    throw new AppError("invalid_request");
  }
  const bad = badTextAt(value, 0);
  if (bad) throw fieldError({ [fieldName(bad.reverse())]: "invalid_text" });
  return value;
}

export function refuseOtherThanJson(request: Request): void {
  const type = request.headers.get("content-type") ?? "";
  if (!/^application\/json\s*(;|$)/i.test(type)) throw new AppError("unsupported_media_type");
}

/** Forms have dozens of fields; only bodies of megabytes are lists of people. */
const FEW_PARTS = 20_000;
const LIST_BYTES = 1024 * 1024;

/** A listed person has twelve parts and at least 30 bytes. */
const mostPartsOf = (maxBytes: number) =>
  maxBytes > LIST_BYTES ? Math.ceil((maxBytes / 30) * 12) : FEW_PARTS;

async function readBytes(stream: ReadableStream<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  try {
    for await (const chunk of stream) chunks.push(chunk);
  } catch (error) {
    // The caller hung up.
    if (error instanceof TypeError) throw new AppError("invalid_request");
    throw error;
  }
  return Buffer.concat(chunks);
}

/** Deeper than any of ours; limits recursion. */
const MAX_DEPTH = 64;

/**
 * NUL or a lone surrogate, invalid in PostgreSQL or UTF-8. Path innermost first, built for a bad text only:
 * paths took most of the time.
 */
function badTextAt(value: unknown, depth: number): string[] | null {
  if (typeof value === "string") return !value.isWellFormed() || value.includes("\0") ? [] : null;
  if (typeof value !== "object" || value === null) return null;
  if (depth > MAX_DEPTH) throw new AppError("invalid_request");
  for (const key in value) {
    const found = badTextAt(value[key as keyof typeof value], depth + 1);
    if (found) return [...found, key];
  }
  return null;
}
