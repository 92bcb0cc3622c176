import { damaged } from "./error.ts";

/**
 * Format (docs/decisions/0050-backup.md): kind, body length (4 bytes, big-endian), body. H header; per table
 * T, R…, E; per attachment F, B…, G; then S, Z end. All but R and B are JSON.
 */
export type FrameKind = "H" | "T" | "R" | "E" | "F" | "B" | "G" | "S" | "Z";
export type Frame = { kind: FrameKind; body: Buffer };

const HEAD = 5;
/** Our bodies are far smaller; a damaged length must not exhaust memory. */
const MOST = 16 * 1024 * 1024;
const KINDS = "HTREFBGSZ";

export function frame(kind: FrameKind, body: Buffer): Buffer {
  const head = Buffer.alloc(HEAD);
  head.write(kind, 0, "latin1");
  head.writeUInt32BE(body.length, 1);
  return Buffer.concat([head, body]);
}

export async function* readFrames(content: AsyncIterable<Buffer>): AsyncGenerator<Frame> {
  let pending: Buffer = Buffer.alloc(0);
  for await (const chunk of content) {
    pending = pending.length === 0 ? chunk : Buffer.concat([pending, chunk]);
    let at = 0;
    while (pending.length - at >= HEAD) {
      const length = pending.readUInt32BE(at + 1);
      const kind = pending.toString("latin1", at, at + 1);
      if (!KINDS.includes(kind) || length > MOST) throw damaged("formato");
      if (pending.length - at - HEAD < length) break;
      const body = pending.subarray(at + HEAD, at + HEAD + length);
      yield { kind: kind as FrameKind, body };
      at += HEAD + length;
    }
    pending = pending.subarray(at);
  }
  if (pending.length > 0) throw damaged("formato");
}
