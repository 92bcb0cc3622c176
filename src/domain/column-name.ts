const LETTERS = 26;
const A = 65;

/** As a spreadsheet calls the column, counted from 0. */
export const columnName = (at: number): string =>
  (at >= LETTERS ? columnName(Math.floor(at / LETTERS) - 1) : "") + String.fromCharCode(A + (at % LETTERS));
