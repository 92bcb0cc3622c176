import { IMPORT_MAX_ROWS } from "../../contract/contacts.ts";
import type { FieldCode } from "../../contract/error-messages.ts";
import { cleanName } from "../../domain/contact-name.ts";
import { AppError } from "../../domain/errors.ts";
import { greetingName } from "../../domain/greeting-name.ts";
import { brazilianPhone } from "../../domain/phone.ts";
import { readPhone } from "../../domain/phone-foreign.ts";
import { type PhoneSet, phoneSet } from "./phone-set.ts";

export type ImportCounts = {
  rowsRead: number;
  imported: number;
  repeated: number;
  refused: number;
  ninthAdded: number;
};

export type Sorted = {
  contact(seq: number, phone: number, name: string): void;
  /** From a later row; the contact keeps its place. */
  named(phone: number, name: string): void;
  refused(row: number, name: string, value: string, reason: FieldCode): void;
  ninthAdded(row: number, name: string, value: string): void;
};

export type SorterOptions = {
  maxRows?: number | undefined;
  bytes?: number;
};

/** A wrong guess only costs time. */
const BYTES_PER_ROW = 38;

/** Throws `import_too_many_rows`. */
export function rowSorter(out: Sorted, { maxRows = IMPORT_MAX_ROWS, bytes = 0 }: SorterOptions = {}) {
  const counts: ImportCounts = { rowsRead: 0, imported: 0, repeated: 0, refused: 0, ninthAdded: 0 };
  const seen: PhoneSet = phoneSet(Math.min(maxRows, Math.ceil(bytes / BYTES_PER_ROW)));

  return {
    counts,
    row(row: number, rawName: string, value: string, fault: FieldCode | null): void {
      if (++counts.rowsRead > maxRows) throw new AppError("import_too_many_rows", { limit: maxRows });
      const person = fault ?? understand(rawName, value);
      if (typeof person === "string") {
        counts.refused++;
        out.refused(row, rawName, value, person);
        return;
      }
      const phone = Math.abs(person.phone);
      if (!seen.add(phone, person.name === "")) {
        counts.repeated++;
        if (person.name !== "" && seen.name(phone)) out.named(phone, person.name);
        return;
      }
      if (person.phone < 0) {
        counts.ninthAdded++;
        out.ninthAdded(row, person.name, value);
      }
      out.contact(counts.imported++, phone, person.name);
    },
  };
}

/** Negative phone: its ninth digit was added. */
function understand(rawName: string, value: string): { name: string; phone: number } | FieldCode {
  const phone = brazilianPhone(value) || slowPhone(value);
  if (typeof phone === "string") return phone;
  const read = cleanName(rawName);
  return "fault" in read ? read.fault : { name: greetingName(read.name), phone };
}

function slowPhone(value: string): number | FieldCode {
  const reading = readPhone(value);
  if ("fault" in reading) return reading.fault;
  return reading.ninthAdded ? -Number(reading.phone) : Number(reading.phone);
}
