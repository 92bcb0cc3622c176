import { joinedName } from "./csv-header.ts";
import { findPhone } from "./csv-phones.ts";
import { unguardCell } from "./csv-write.ts";
import type { PhoneError } from "./phone.ts";
import { readPhone } from "./phone-foreign.ts";
import { countFurther, splitPhones } from "./split-phone.ts";
import { isBlank, type TableLayout } from "./table-layout.ts";
import { plainText } from "./text-repair.ts";

const BETWEEN = ";";

export type TableRow = {
  name: string;
  phone: string;
  error: PhoneError | "row_columns" | "row_split_phone" | null;
};

/** The name as entered, without an export's apostrophe; the first column with a phone. */
export function readRow(layout: TableLayout, cells: readonly string[]): TableRow {
  const name = layout.name === -1 ? "" : nameIn(layout, cells);
  const { phone, isSplit } = findPhone(layout, cells);
  const beyond = cells.length > layout.columns && !isBlank(cells.slice(layout.columns));
  if (!beyond && phone !== undefined) return { name, phone, error: isSplit ? "row_split_phone" : null };
  return { name, phone: cells.join(BETWEEN), error: "row_columns" };
}

function nameIn({ name, moreNames }: TableLayout, cells: readonly string[]): string {
  const part = (at: number) => unguardCell(plainText(cells[at] ?? "").trim());
  return moreNames.length === 0 ? part(name) : joinedName(part(name), moreNames.map(part));
}

export function furtherPhones(layout: TableLayout, cells: readonly string[]): number {
  const columns = [...layout.phones, ...layout.otherPhones];
  const held = columns.map((at) => cells[at] ?? "");
  if (columns.length < 2) return splitPhones(held[0] ?? "").length - 1;
  return countFurther(findPhone(layout, cells).phone ?? "", held);
}

const CELLS_AT_ONCE = 16;

/** Invalid cells make one refused row. Yields null as a pause: a line may hold five thousand phones. */
export function* readLine(cells: readonly string[]): Generator<TableRow | null> {
  const understood: TableRow[] = [];
  const refused: string[] = [];
  let reason: PhoneError | null = null;
  for (const [at, phone] of cells.entries()) {
    if (at % CELLS_AT_ONCE === CELLS_AT_ONCE - 1) yield null;
    if (phone.trim() === "") continue;
    const reading = readPhone(phone);
    if ("error" in reading) {
      reason ??= reading.error;
      refused.push(phone);
    } else understood.push({ name: "", phone, error: null });
  }
  if (reason) yield { name: "", phone: refused.join(BETWEEN), error: reason };
  yield* understood;
}
