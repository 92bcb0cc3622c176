import type { NameError } from "./contact-name.ts";
import { assignCodes } from "./csv-phones.ts";
import { unguardCell } from "./csv-write.ts";
import { type FieldKind, readFieldCell } from "./field-values.ts";
import type { PhoneError } from "./phone.ts";
import { namesOf, type TableLayout } from "./table-layout.ts";
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
  /** `label` as the person will read it; the same label in two columns is refused by the caller. */
  | { role: "new_field"; label: string; kind: FieldKind };

type FieldContent = string | number | boolean;

/** How a table becomes people; a row with text beyond `columns` is refused. */
export type ImportMapping = {
  /** Rows above the first person, header included. */
  skip: number;
  headerRow: number | null;
  columns: readonly ColumnMapping[];
  /** Each cell of a row is the phone of another person; `columns` is not read. */
  everyCell: boolean;
};

/** That can be assigned. */
export const MOST_COLUMNS = 500;

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
      /** By field key or new field's label; empty cells are left out. */
      fields: Readonly<Record<string, FieldContent>>;
      /** Columns whose cell is not what their field holds. */
      unread: readonly number[];
    }
  | { outcome: "refused"; row: number; name: string; value: string; reason: RowReason };

export type NumberedRow = { row: number; cells: readonly string[] };

export function isUsable({ columns, everyCell }: ImportMapping): boolean {
  return everyCell || columns.some(({ role }) => role === "phone");
}

export type FieldsRead = { values: Record<string, FieldContent>; unread: number[] };

/** The columns of a mapping that hold fields; `kinds` of known ones by their key. */
export class FieldColumns {
  readonly #columns: readonly { at: number; key: string; kind: FieldKind }[];

  constructor({ columns }: ImportMapping, kinds: ReadonlyMap<string, FieldKind>) {
    this.#columns = columns.flatMap((column, at) => {
      if (column.role === "field")
        return [{ at, key: column.field, kind: kinds.get(column.field) ?? "text" }];
      return column.role === "new_field" ? [{ at, key: column.label, kind: column.kind }] : [];
    });
  }

  get isEmpty(): boolean {
    return this.#columns.length === 0;
  }

  read(cells: readonly string[]): FieldsRead {
    // Without a prototype: a field may be called __proto__.
    const values: Record<string, FieldContent> = Object.create(null);
    const unread: number[] = [];
    for (const { at, key, kind } of this.#columns) {
      const reading = readFieldCell(kind, unguardCell(plainText(cells[at] ?? "").trim()));
      if ("error" in reading) unread.push(at);
      else if (reading.value !== null) values[key] ??= reading.value;
    }
    return { values, unread };
  }
}

/** Reads rows by a mapping; blank ones yield nothing. Remembers phones, so that a later row of one is repeated. */
export class MappedRows {
  readonly #mapping: ImportMapping;
  readonly #layout: TableLayout;
  readonly #fields: FieldColumns;
  readonly #seen = new Set<number>();

  constructor(
    mapping: ImportMapping,
    head: readonly string[] = [],
    kinds: ReadonlyMap<string, FieldKind> = new Map(),
  ) {
    this.#mapping = mapping;
    this.#layout = layoutBy(mapping, head);
    this.#fields = new FieldColumns(mapping, kinds);
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
    const { values, unread } = this.#fields.read(cells);
    return {
      outcome: isRepeated ? "repeated" : "imported",
      row,
      phone: String(person.phone),
      name: person.name,
      ninthAdded: person.ninthAdded,
      furtherPhones: cells.length === 0 ? 0 : furtherPhones(this.#layout, cells),
      fields: values,
      unread,
    };
  }
}

export function apply(rows: readonly NumberedRow[], mapping: ImportMapping): RowOutcome[] {
  const head = rows.find(({ row }) => row === mapping.headerRow)?.cells ?? [];
  const mapped = new MappedRows(mapping, head);
  return rows.flatMap((row) => [...mapped.read(row)]);
}

/** `head`: cells of the header row. */
export function layoutBy(
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
    unused: namesOf(head, of("ignore")),
    // Of a wider table the rest is never read.
    columns: columns.length < MOST_COLUMNS ? columns.length : Number.POSITIVE_INFINITY,
  };
}
