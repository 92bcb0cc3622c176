import type { MessageKind } from "./chat.ts";

const WORDS: ReadonlySet<string> = new Set(["SAIR", "PARAR", "CANCELAR", "STOP"]);

/**
 * True when a message is nothing but one of the words by which people leave a list (SAIR, PARAR, CANCELAR, STOP), in any case, with or
 * without accents, punctuation or emoji around it. A word inside a sentence («quero cancelar a consulta») is not meant so.
 */
export function isOptOut(text: string): boolean {
  if (text.length > 100) return false;
  const plain = text
    .normalize("NFKD")
    .replace(/[\p{M}\p{Cf}]/gu, "")
    .replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, "")
    .toUpperCase();
  return WORDS.has(plain);
}

/** Kinds whose text is their writer's: a contact or a place may be called «Stop». */
export const WRITTEN_KINDS: readonly MessageKind[] = ["text", "image", "video", "document"];
