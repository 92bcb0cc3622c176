import pg from "pg";

const INT8 = 20;
const INT8_ARRAY = 1016;
const DATE = 1082;

function safeInteger(text: string): number {
  const value = Number(text);
  // A rounded id would address another row.
  if (!Number.isSafeInteger(value)) throw new RangeError(`int8 out of JavaScript's safe range: ${text}`);
  return value;
}

/** One-dimensional `{1,2,NULL}`. */
function safeIntegers(text: string): (number | null)[] {
  if (text === "{}") return [];
  return text
    .slice(1, -1)
    .split(",")
    .map((item) => (item === "NULL" ? null : safeInteger(item)));
}

/**
 * int8 and int8[] as numbers, date as `YYYY-MM-DD` (a Date would shift by the machine's zone), timestamptz as
 * Date, numeric as string.
 */
export const columnTypes: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: "text" | "binary") => {
    if (format === "binary") return pg.types.getTypeParser(oid, "binary");
    if (oid === INT8) return safeInteger;
    if (oid === INT8_ARRAY) return safeIntegers;
    if (oid === DATE) return (text: string) => text;
    return pg.types.getTypeParser(oid, "text");
  }) as typeof pg.types.getTypeParser,
};
