import { useQuery } from "@tanstack/react-query";
import type { ContactField } from "../../contract/contact-fields.ts";
import { SURNAME } from "../../domain/variables.ts";
import { fieldsQuery } from "../api/people.ts";
import { libraryText } from "../messages/library.ts";

export type Known = Pick<ContactField, "key" | "label">;

export function useKnown(): readonly Known[] {
  const fields: readonly Known[] = useQuery(fieldsQuery).data ?? [];
  return [{ key: SURNAME, label: libraryText.write.surname }, ...fields];
}
