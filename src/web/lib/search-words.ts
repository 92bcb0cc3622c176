/** What the server takes of what is searched for: more than anybody types, less than a message that somebody pastes to find it. */
const MOST = 200;

/** The beginning of it, which finds the same and perhaps more; never half a character. */
export const searchWords = (typed: string): string =>
  typed.length <= MOST ? typed : typed.slice(0, MOST).replace(/[\ud800-\udbff]$/, "");
