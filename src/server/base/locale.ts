import { AsyncLocalStorage } from "node:async_hooks";
import type { Language } from "../../contract/accounts.ts";
import { type FieldCode, PORTUGUESE } from "../../contract/error-messages.ts";
import { ENGLISH } from "../../contract/error-messages-en.ts";
import type { Words } from "../../contract/words.ts";

const spoken = new AsyncLocalStorage<Language>();

/**
 * Does some work, and all that follows from it, in a caller's language. Texts are chosen deep inside, where a row becomes an answer:
 * the language goes there by itself instead of as an argument of every function between.
 */
export function withLanguage<T>(language: Language, work: () => T): T {
  return spoken.run(language, work);
}

/** The language of whoever is being answered; Portuguese where nobody is. */
export const currentLanguage = (): Language => spoken.getStore() ?? "pt-BR";

/** The words of one language, for what is written once and read by an account in its own. */
export const wordsOf = (language: Language): Words<FieldCode> => (language === "en" ? ENGLISH : PORTUGUESE);

/** The words for whoever is being answered. */
export const words = (): Words<FieldCode> => wordsOf(currentLanguage());
