import type { ContactImport, ContactListCard, ListedContact, RefusedRow } from "../../contract/contacts.ts";
import type { FieldCode } from "../../contract/error-messages.ts";
import { FIELD_MESSAGES } from "../../contract/field-messages.ts";
import { ERROR_CODES, type ErrorCode } from "../../domain/errors.ts";
import { words } from "../base/locale.ts";
import type { ImportRow, NotedRow } from "./imports-repo.ts";
import type { ContactRow, ListRow } from "./repo.ts";

export function toContactList(row: ListRow): ContactListCard {
  const { id, name, contacts, first, matches } = row;
  return { id, name, count: contacts, createdAt: row.created_at.toISOString(), first, matches };
}

export function toContact({ seq, name, phone, opted_out }: ContactRow): ListedContact {
  const left = opted_out === null ? {} : { optedOut: true as const };
  const asks = opted_out === "asked" ? { asksToLeave: true as const } : {};
  return { seq, name, phone: String(phone), ...left, ...asks };
}

export function toImport(row: ImportRow): ContactImport {
  const { encoding, separator, header } = row;
  return {
    id: row.id,
    listId: row.list_id,
    listName: row.list_name,
    fileName: row.file_name,
    state: row.state,
    fault: shownError(row),
    bytesTotal: row.bytes_total,
    bytesRead: row.bytes_read,
    rowsRead: row.rows_read,
    imported: row.imported,
    repeated: row.repeated,
    refused: row.refused,
    ninthAdded: row.ninth_added,
    erased: row.erased,
    leftOut: leftOutOf(row.left_out),
    layout: encoding && separator && header !== null ? { encoding, separator, header } : null,
    warnings: warningsOf(row),
    createdAt: row.created_at.toISOString(),
    finishedAt: row.finished_at?.toISOString() ?? null,
  };
}

/** Before fields were imported, none could be unread. */
function leftOutOf(stored: ImportRow["left_out"]): ContactImport["leftOut"] {
  return stored && { ...stored, columns: [...stored.columns], unread: [...(stored.unread ?? [])] };
}

function shownError({ fault, fault_details }: ImportRow): ContactImport["fault"] {
  if (fault === null) return null;
  // A newer version's code is unknown here.
  const code: ErrorCode = ERROR_CODES.find((known) => known === fault) ?? "import_failed";
  const details = fault_details ?? {};
  return { code, error: words().errorText(code, details), details };
}

function warningsOf(row: ImportRow): ContactImport["warnings"] {
  const warnings: ContactImport["warnings"] = [];
  if (row.same_file !== null) {
    warnings.push({ code: "same_file", text: words().sameFile(row.same_file) });
  }
  if (row.same_name) {
    warnings.push({ code: "same_name", text: words().sameName(row.list_name) });
  }
  return warnings;
}

export function shownRefused(row: NotedRow): RefusedRow {
  const code = reasonCode(row.reason);
  return {
    row: row.row_number,
    name: row.name,
    value: row.value,
    reason: { code, text: words().fieldText(code) },
  };
}

/** `invalid` for a newer version's reason. */
export function reasonCode(stored: string): FieldCode {
  return stored in FIELD_MESSAGES ? (stored as FieldCode) : "invalid";
}
