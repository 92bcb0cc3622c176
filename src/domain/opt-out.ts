import type { MessageKind } from "./chat.ts";

const WORDS: ReadonlySet<string> = new Set(["SAIR", "PARAR", "CANCELAR", "STOP"]);

/** Code points. */
export const CONFIRMATION_MAX = 500;

/** Only an opt-out word (SAIR, PARAR, CANCELAR, STOP); «quero cancelar a consulta» does not count. */
export function isOptOut(text: string): boolean {
  if (text.length > 100) return false;
  const plain = text
    .normalize("NFKD")
    .replace(/[\p{M}\p{Cf}]/gu, "")
    .replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, "")
    .toUpperCase();
  return WORDS.has(plain);
}

/** Kinds with the writer's text: a contact or place may be called «Stop». */
export const WRITTEN_KINDS: readonly MessageKind[] = ["text", "image", "video", "document"];
