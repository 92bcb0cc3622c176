import { sql } from "kysely";

const ACCENTED = "áàâãäåéèêëíìîïóòôõöúùûüçñÁÀÂÃÄÅÉÈÊËÍÌÎÏÓÒÔÕÖÚÙÛÜÇÑ";
const PLAIN = "aaaaaaeeeeiiiiooooouuuucnaaaaaaeeeeiiiiooooouuuucn";

const FOLD = new Map(Array.from(ACCENTED, (letter, at) => [letter, PLAIN[at] ?? letter]));

/** Column without case and Portuguese accents; the same as `foldedPattern` does to the words looked for. */
export const folded = (column: string) => sql`lower(translate(${sql.raw(column)}, ${ACCENTED}, ${PLAIN}))`;

/** A LIKE pattern that finds the words anywhere, whatever their case and accents; `%`, `_` and `\` in them mean themselves. */
export function foldedPattern(words: string): string {
  // Letter by letter as the column is, and no others: «ő» must still find itself.
  const plain = Array.from(words.normalize("NFC"), (letter) => FOLD.get(letter) ?? letter)
    .join("")
    .toLowerCase();
  return `%${plain.replace(/[\\%_]/g, "\\$&")}%`;
}

/** The digits of a search that looks for a phone, null when it has too few to mean one. */
export function phonePattern(words: string): string | null {
  const digits = words.replace(/[\s()+.-]/g, "");
  return /^\d{3,}$/.test(digits) ? `%${digits}%` : null;
}
