import fc from "fast-check";

/** First surrogate half, which is no character, and their number. */
const HALVES = 0xd800;
const OF_THEM = 0x800;

/**
 * Any Unicode character, as `unit` of a text. fast-check's own "binary" unit builds a table of all 1.1
 * million first, more than a second per test file.
 */
export const CODE_POINT: fc.Arbitrary<string> = fc.nat({ max: 0x10ffff - OF_THEM }).map(
  (nth) => String.fromCodePoint(nth < HALVES ? nth : nth + OF_THEM),
  (character) => {
    const code = typeof character === "string" ? character.codePointAt(0) : undefined;
    if (code === undefined || String.fromCodePoint(code) !== character) throw new Error("not one character");
    if (code >= HALVES && code < HALVES + OF_THEM) throw new Error("half a character");
    return code < HALVES ? code : code - OF_THEM;
  },
);
