import type { z } from "zod";
import type { Person, PersonDetails, PersonOrigin } from "../../contract/people.ts";
import type { OptOutRow } from "../sending/sending.ts";
import type { PersonFacts, PersonRow } from "./people-repo.ts";

export function toPerson({ id, name, phone, fields, created_at, opted_out }: PersonRow): Person {
  const left = opted_out === null ? {} : { optedOut: true as const };
  const asks = opted_out === "asked" ? { asksToLeave: true as const } : {};
  return { id, name, phone, fields, createdAt: created_at.toISOString(), ...left, ...asks };
}

type DetailParts = {
  lists: { id: number; name: string }[];
  optOut: Pick<OptOutRow, "source" | "text" | "created_at"> | undefined;
};

export function toPersonDetails(
  row: PersonFacts,
  { lists, optOut }: DetailParts,
): z.input<typeof PersonDetails> {
  return {
    ...toPerson(row),
    lists,
    updatedAt: row.updated_at.toISOString(),
    origin: toOrigin(row),
    optOut: optOut ? { source: optOut.source, text: optOut.text, at: optOut.created_at.toISOString() } : null,
  };
}

function toOrigin(row: PersonFacts): PersonOrigin {
  const { origin, file_name, origin_row, origin_by, created_at, basis, basis_note } = row;
  return {
    kind: origin === "migration" ? "before" : origin,
    fileName: file_name,
    row: origin_row,
    by: origin_by,
    at: created_at.toISOString(),
    basis,
    basisNote: basis_note,
  };
}
