/** Longest search text the server takes. Longer than any typed text, shorter than a pasted message. */
const MOST = 200;

/** A prefix matches at least the same; never splits a character. */
export const searchWords = (typed: string): string =>
  typed.length <= MOST ? typed : typed.slice(0, MOST).replace(/[\ud800-\udbff]$/, "");
