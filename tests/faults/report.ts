export type Range = { runs: number; seed: number; first: number };

export const say = (text: string): void => void process.stdout.write(`${text}\n`);

export function table(
  columns: Readonly<Record<string, number>>,
): (cells: readonly (string | number)[]) => void {
  const widths = Object.values(columns);
  const line = (cells: readonly (string | number)[]) =>
    say(cells.map((cell, i) => String(cell).padEnd(widths[i] ?? 10)).join(" "));
  line(Object.keys(columns));
  return line;
}
