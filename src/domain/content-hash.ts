import { createHash } from "node:crypto";
import type { MessageKind } from "./chat.ts";
import { normalizeText } from "./message-text.ts";

/**
 * SHA-256 of kind and text without what changes in transit (line ends, composition, outer space). Pictures
 * are ignored: providers re-encode them.
 */
export function contentHash(kind: MessageKind, text: string): Buffer {
  return createHash("sha256")
    .update(`${kind}\0${normalizeText(text).trim()}`)
    .digest();
}
