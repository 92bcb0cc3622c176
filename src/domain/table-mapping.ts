import type { NameError } from "./contact-name.ts";
import { assignCodes } from "./csv-phones.ts";
import { unguardCell } from "./csv-write.ts";
import type { PhoneError } from "./phone.ts";
import type { TableLayout } from "./table-layout.ts";
import { readPerson } from "./table-person.ts";
import { furtherPhones, readLine, readRow, type TableRow } from "./table-rows.ts";
import { plainText } from "./text-repair.ts";

/** What a column becomes. Several `phone` columns are tried in the order of `rank`, a readable number first. */
export type ColumnMapping =
  | { role: "name" | "surname" | "ddi" | "ddd" | "phone_kind" | "ignore" }
  /** `rank` 0: a WhatsApp number, taken before a mobile elsewhere; then ascending. */
  | { role: "phone"; rank: number }
  /** `field`: the key of an account's field. */
  | { role: "field"; field: string }
  /** `name` as the person will read it; the same name in two columns is refused by the caller. */
  | { role: "new_field"; name: string; type: FieldType };

export type FieldType = "text" | "number" | "date" | "boolean";

/** How a table becomes people; a row with text beyond `columns` is refused. */
export type ImportMapping = {
  /** Rows above the first person, header included. */
  skip: number;
  headerRow: number | null;
  columns: readonly ColumnMapping[];
  /** Each cell of a row is the phone of another person; `columns` is not read. */
  everyCell: boolean;
};

export type RowReason = PhoneError | NameError | "row_columns" | "row_split_phone";

/** One row's end. `row` counts from 1, header and blanks included. */
export type RowOutcome =
  | {
      outcome: "imported" | "repeated";
      row: number;
      phone: string;
      name: string;
      ninthAdded: boolean;
      /** Numbers of this row that were not taken. */
      furtherPhones: number;
      /** Values as written, by field key or new field's name; empty cells are left out. */
      fields: Readonly<Record<string, string>>;
    }
  | { outcome: "refused"; row: number; name: string; value: string; reason: RowReason };

export type NumberedRow = { row: number; cells: readonly string[] };

export function isUsable({ columns, everyCell }: ImportMapping): boolean {
  return everyCell || columns.some(({ role }) => role === "phone");
}

/** Reads rows by a mapping; blank ones yield nothing. Remembers phones, so that a later row of one is repeated. */
export class MappedRows {
  readonly #mapping: ImportMapping;
  readonly #layout: TableLayout;
  readonly #fields: readonly (readonly [at: number, key: string])[];
  readonly #seen = new Set<number>();

  constructor(mapping: ImportMapping, head: readonly string[] = []) {
    this.#mapping = mapping;
    this.#layout = layoutBy(mapping, head);
    this.#fields = mapping.columns.flatMap((column, at) => {
      if (column.role === "field") return [[at, column.field] as const];
      return column.role === "new_field" ? [[at, column.name] as const] : [];
    });
  }

  *read({ row, cells }: NumberedRow): Generator<RowOutcome> {
    if (row <= this.#mapping.skip || cells.every((cell) => cell.trim() === "")) return;
    if (!this.#mapping.everyCell) {
      yield this.#outcome(row, readRow(this.#layout, cells), cells);
      return;
    }
    for (const read of readLine(cells)) if (read !== null) yield this.#outcome(row, read, []);
  }

  #outcome(row: number, { name, phone, error }: TableRow, cells: readonly string[]): RowOutcome {
    const person = error ?? readPerson(name, phone);
    if (typeof person === "string") return { outcome: "refused", row, name, value: phone, reason: person };
    const isRepeated = this.#seen.has(person.phone);
    this.#seen.add(person.phone);
    return {
      outcome: isRepeated ? "repeated" : "imported",
      row,
      phone: String(person.phone),
      name: person.name,
      ninthAdded: person.ninthAdded,
      furtherPhones: cells.length === 0 ? 0 : furtherPhones(this.#layout, cells),
      fields: this.#fieldsOf(cells),
    };
  }

  #fieldsOf(cells: readonly string[]): Record<string, string> {
    // Without a prototype: a field may be called __proto__.
    const fields: Record<string, string> = Object.create(null);
    for (const [at, key] of this.#fields) {
      const read = unguardCell(plainText(cells[at] ?? "").trim());
      if (read !== "" && fields[key] === undefined) fields[key] = read;
    }
    return fields;
  }
}

export function apply(rows: readonly NumberedRow[], mapping: ImportMapping): RowOutcome[] {
  const head = rows.find(({ row }) => row === mapping.headerRow)?.cells ?? [];
  const mapped = new MappedRows(mapping, head);
  return rows.flatMap((row) => [...mapped.read(row)]);
}

function layoutBy(
  { skip, headerRow, columns, everyCell }: ImportMapping,
  head: readonly string[],
): TableLayout {
  const of = (role: ColumnMapping["role"]) =>
    columns.flatMap((column, at) => (column.role === role ? [at] : []));
  const rank = (at: number) => {
    const column = columns[at];
    return column?.role === "phone" ? column.rank : 0;
  };
  const phones = of("phone").toSorted((a, b) => rank(a) - rank(b) || a - b);
  const [name = -1, ...furtherNames] = of("name");
  const [surname = -1] = of("surname");
  const first = name === -1 ? surname : name;
  const codes = { areas: of("ddd"), countries: of("ddi"), labels: of("phone_kind") };
  return {
    skip,
    header: headerRow !== null,
    name: first,
    moreNames: [...furtherNames, ...of("surname")].filter((at) => at !== first),
    phones,
    whatsapps: phones.filter((at) => rank(at) === 0).length,
    ...assignCodes(head, phones, codes),
    everyCell,
    otherPhones: [],
    unused: [],
    columns: columns.length,
  };
}
