/** Greeted together with the name: «Dr. João», never «Dr.» alone. */
export const TITLES: ReadonlySet<string> = new Set(
  "d dr dra dona dom seu sr sra srta prof profa professor professora pe padre pr pastor pastora frei irmã mr mrs ms miss".split(
    " ",
  ),
);
const LETTER = /\p{L}/u;
const ENDING = /[,;:]+$/u;

/** First word with a letter, after its title. `name` must be normalized by `normalizeLine`. */
export function firstName(name: string): string {
  const all = name.split(" ");
  const words = all.filter((word) => LETTER.test(word));
  const [first = all[0] ?? "", second] = words;
  const isTitle = TITLES.has(first.replace(/\.$/, "").toLowerCase());
  const greeted = isTitle && second ? `${first} ${second}` : first;
  return greeted.replace(ENDING, "");
}
