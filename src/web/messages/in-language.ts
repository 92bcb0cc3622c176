export type Language = "pt-BR";

const language: Language = "pt-BR";

/** The catalogue of one area in the page's language. Another language is one more entry of the same shape. */
export function inLanguage<T>(catalogue: Record<Language, T>): T {
  return catalogue[language];
}
