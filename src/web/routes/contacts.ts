import { searchWords } from "../lib/search-words.ts";
import { rowId } from "./campaigns.ts";

export type ContactsAddress = {
  busca?: string;
  lista?: number;
  /** The list whose people are shown in a dialog. */
  pessoas?: number;
  abrir?: "importar";
};

/** Invalid values are dropped. */
export function contactsAddress(search: Record<string, unknown>): ContactsAddress {
  // The router parses `?busca=2024` as a number.
  const words = typeof search.busca === "number" ? String(search.busca) : search.busca;
  const lista = rowId(search.lista);
  const pessoas = rowId(search.pessoas);
  return {
    ...(typeof words === "string" && words.trim() !== "" ? { busca: searchWords(words) } : {}),
    ...(lista ? { lista } : {}),
    ...(pessoas ? { pessoas } : {}),
    ...(search.abrir === "importar" ? { abrir: "importar" } : {}),
  };
}
