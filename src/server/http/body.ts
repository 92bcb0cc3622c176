import { AppError } from "../../domain/errors.ts";
import { hasTooManyParts } from "../net/json-parts.ts";
import { fieldError } from "./errors.ts";
import { fieldName } from "./field-errors.ts";

/** A body larger than what is declared or allowed is refused while it arrives, never collected first. */
export function limitedStream(request: Request, maxBytes: number): ReadableStream<Uint8Array> {
  if (Number(request.headers.get("content-length") ?? 0) > maxBytes) throw new AppError("payload_too_large");
  // A compressed body could unfold to any size; nobody needs it here.
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
 * The JSON of a request: 415 for another type, 413 for too much (also for more parts than any honest body has, which would hold up the
 * process), 400 for what is not JSON, 422 for text no database can hold.
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

/** Forms have some dozens of fields. Only bodies of several megabytes are lists: of people, each with a name and a number. */
const FEW_PARTS = 20_000;
const LIST_BYTES = 1024 * 1024;

/** A person of a list costs twelve parts and is at least 30 bytes long. */
const mostPartsOf = (maxBytes: number) =>
  maxBytes > LIST_BYTES ? Math.ceil((maxBytes / 30) * 12) : FEW_PARTS;

async function readBytes(stream: ReadableStream<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  try {
    for await (const chunk of stream) chunks.push(chunk);
  } catch (error) {
    // The caller hung up in the middle.
    if (error instanceof TypeError) throw new AppError("invalid_request");
    throw error;
  }
  return Buffer.concat(chunks);
}

/** Deeper than anything of ours; the bound keeps this walk off the end of the stack. */
const MAX_DEPTH = 64;

/**
 * Where a text has NUL or a lone surrogate, which have no place in PostgreSQL's text or in UTF-8; null where none has. The path comes
 * innermost first, and is made for a bad text alone: made for every part it took most of the time.
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
