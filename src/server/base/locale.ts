import { AsyncLocalStorage } from "node:async_hooks";
import type { Language } from "../../contract/accounts.ts";
import { type FieldCode, PORTUGUESE } from "../../contract/error-messages.ts";
import { ENGLISH } from "../../contract/error-messages-en.ts";
import type { Words } from "../../contract/words.ts";

const spoken = new AsyncLocalStorage<Language>();

/** Rows become texts deep inside, so the language needs no argument. */
export function withLanguage<T>(language: Language, work: () => T): T {
  return spoken.run(language, work);
}

/** Portuguese outside a request. */
export const currentLanguage = (): Language => spoken.getStore() ?? "pt-BR";

export const wordsOf = (language: Language): Words<FieldCode> => (language === "en" ? ENGLISH : PORTUGUESE);

/** Texts in the caller's language. */
export const words = (): Words<FieldCode> => wordsOf(currentLanguage());
