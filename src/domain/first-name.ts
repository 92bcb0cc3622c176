/** Titles that are greeted together with the name after them: «Dr. João», never «Dr.» alone. */
const TITLES = new Set(
  "d dr dra dona dom seu sr sra srta prof profa professor professora pe padre pr pastor pastora frei irmã mr mrs ms miss".split(
    " ",
  ),
);
const LETTER = /\p{L}/u;
const ENDING = /[,;:]+$/u;

/**
 * How a person is greeted by the first name: the first word of `name` that has a letter, with a title before it. Empty for a blank
 * name. `name` is one line with single spaces (`normalizeLine`); what it is made of stays as it was written.
 */
export function firstName(name: string): string {
  const all = name.split(" ");
  const words = all.filter((word) => LETTER.test(word));
  const [first = all[0] ?? "", second] = words;
  const isTitle = TITLES.has(first.replace(/\.$/, "").toLowerCase());
  const greeted = isTitle && second ? `${first} ${second}` : first;
  return greeted.replace(ENDING, "");
}
