export type CodedError<Code extends string> = Code | { code: Code; n: number };

/** Numbers that identify something are not formatted: a spreadsheet writes row 30002 without separators. */
const NAMES: ReadonlySet<string> = new Set(["line", "column", "status"]);

/** `numbers`: locale. A name without a figure stays as it is. */
export const fillIn = (numbers: string, text: string, figures: Readonly<Record<string, unknown>>): string =>
  text.replace(/\{(\w+)\}/g, (placeholder, name: string) => {
    const { [name]: figure = placeholder } = figures;
    const counts = typeof figure === "number" && !NAMES.has(name);
    return counts ? figure.toLocaleString(numbers) : String(figure);
  });

/** Apart from the other words: pages need these alone. */
export const fieldTextIn =
  <Code extends string>(numbers: string, fields: Readonly<Record<Code, string>>) =>
  (error: CodedError<Code>): string =>
    typeof error === "string" ? fields[error] : fillIn(numbers, fields[error.code], { n: error.n });
