import { damaged } from "./error.ts";

/**
 * What a backup is made of, docs/decisions/0050-backup.md: a letter, the length of the body (4 bytes, the highest first), the body.
 * H header, then for each table T, rows R … R, E; at last S sequences and Z the end. All but R are JSON.
 */
export type FrameKind = "H" | "T" | "R" | "E" | "S" | "Z";
export type Frame = { kind: FrameKind; body: Buffer };

const HEAD = 5;
/** Bodies that we write are far smaller; a damaged length must not take the memory. */
const MOST = 16 * 1024 * 1024;
const KINDS = "HTRESZ";

export function frame(kind: FrameKind, body: Buffer): Buffer {
  const head = Buffer.alloc(HEAD);
  head.write(kind, 0, "latin1");
  head.writeUInt32BE(body.length, 1);
  return Buffer.concat([head, body]);
}

/** Takes bytes apart again, however they were cut on their way. Throws a StartFault on anything else. */
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
