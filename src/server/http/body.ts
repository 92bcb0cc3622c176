import { AppError } from "../../domain/errors.ts";
import { fieldError } from "./errors.ts";

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

/** The JSON of a request: 415 for another type, 413 for too much, 400 for what is not JSON, 422 for text no database can hold. */
export async function readJson(request: Request, maxBytes: number): Promise<unknown> {
  const type = request.headers.get("content-type") ?? "";
  if (!/^application\/json\s*(;|$)/i.test(type)) throw new AppError("unsupported_media_type");
  const text = await readText(limitedStream(request, maxBytes));
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new AppError("invalid_request");
  }
  refuseBadText(value, [], 0);
  return value;
}

async function readText(stream: ReadableStream<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let text = "";
  try {
    for await (const chunk of stream) text += decoder.decode(chunk, { stream: true });
    return text + decoder.decode();
  } catch (error) {
    if (error instanceof TypeError) throw new AppError("invalid_request");
    throw error;
  }
}

/** Deeper than anything of ours; the bound keeps this walk off the end of the stack. */
const MAX_DEPTH = 64;

/** NUL and lone surrogates have no place in PostgreSQL's text or in UTF-8: refused at the door, named by their field. */
function refuseBadText(value: unknown, path: string[], depth: number): void {
  if (typeof value === "string") {
    if (!value.isWellFormed() || value.includes("\0")) throw fieldError({ [path.join(".")]: "invalid_text" });
    return;
  }
  if (typeof value !== "object" || value === null) return;
  if (depth > MAX_DEPTH) throw new AppError("invalid_request");
  for (const [key, item] of Object.entries(value)) refuseBadText(item, [...path, key], depth + 1);
}
