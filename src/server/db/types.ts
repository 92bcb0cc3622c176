import pg from "pg";

const INT8 = 20;
const INT8_ARRAY = 1016;
const DATE = 1082;

function safeInteger(text: string): number {
  const value = Number(text);
  // A silently rounded id would address another row.
  if (!Number.isSafeInteger(value)) throw new RangeError(`int8 out of JavaScript's safe range: ${text}`);
  return value;
}

/** `{1,2,NULL}`, of one dimension: all that our statements return. */
function safeIntegers(text: string): (number | null)[] {
  if (text === "{}") return [];
  return text
    .slice(1, -1)
    .split(",")
    .map((item) => (item === "NULL" ? null : safeInteger(item)));
}

/**
 * How columns become JavaScript values: int8 a number, int8[] numbers, date the text `YYYY-MM-DD` (a Date would shift it
 * by the machine's zone), timestamptz a Date (the driver's own default), numeric a string.
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
