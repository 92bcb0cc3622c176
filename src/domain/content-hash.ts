import { createHash } from "node:crypto";
import type { MessageKind } from "./chat.ts";
import { normalizeText } from "./message-text.ts";

/**
 * SHA-256 of what a message says, by which a message of ours is known again in what a provider tells: its kind, and its text or caption
 * without what travels changes (line ends, composed letters, space around it). A picture itself does not count: providers encode it anew.
 */
export function contentHash(kind: MessageKind, text: string): Buffer {
  return createHash("sha256")
    .update(`${kind}\0${normalizeText(text).trim()}`)
    .digest();
}
