import { IMPORT_MAX_ROWS } from "../../contract/contacts.ts";
import type { FieldCode } from "../../contract/error-messages.ts";
import { AppError } from "../../domain/errors.ts";
import { readPerson } from "../../domain/table-person.ts";

export type ImportCounts = {
  rowsRead: number;
  imported: number;
  repeated: number;
  refused: number;
  ninthAdded: number;
};

/** `seq`: place in the list, from 0; `phone`: canonical, as a number; `row`: in the file; `fields`: JSON or "". */
export type SortedPerson = { seq: number; phone: number; name: string; row: number; fields: string };

export type SortedRows = {
  contact(person: SortedPerson): void;
  /** The first name for a contact whose own row had none; the contact keeps its place. */
  named(phone: number, name: string): void;
  refused(row: number, name: string, value: string, reason: FieldCode): void;
  ninthAdded(row: number, name: string, value: string): void;
};

export class RowSorter {
  readonly counts: ImportCounts = { rowsRead: 0, imported: 0, repeated: 0, refused: 0, ninthAdded: 0 };
  readonly #out: SortedRows;
  readonly #maxRows: number;
  readonly #seen = new Set<number>();
  readonly #nameless = new Set<number>();

  constructor(out: SortedRows, maxRows = IMPORT_MAX_ROWS) {
    this.#out = out;
    this.#maxRows = maxRows;
  }

  /** Throws `import_too_many_rows`. */
  row(row: number, typedName: string, value: string, error: FieldCode | null, fields = ""): void {
    const { counts } = this;
    if (++counts.rowsRead > this.#maxRows)
      throw new AppError("import_too_many_rows", { limit: this.#maxRows });
    const person = error ?? readPerson(typedName, value);
    if (typeof person === "string") {
      counts.refused++;
      this.#out.refused(row, typedName, value, person);
      return;
    }
    const { phone, name, ninthAdded } = person;
    if (this.#seen.has(phone)) {
      counts.repeated++;
      if (name !== "" && this.#nameless.delete(phone)) this.#out.named(phone, name);
      return;
    }
    this.#seen.add(phone);
    if (name === "") this.#nameless.add(phone);
    if (ninthAdded) {
      counts.ninthAdded++;
      this.#out.ninthAdded(row, name, value);
    }
    this.#out.contact({ seq: counts.imported++, phone, name, row, fields });
  }
}
