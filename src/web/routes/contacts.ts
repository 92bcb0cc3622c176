import { searchWords } from "../lib/search-words.ts";
import { rowId } from "./campaigns.ts";

/** What the screen's address says, so that a view can be linked: what is looked for, in which list alone, and the open import. */
export type ContactsAddress = { busca?: string; lista?: number; abrir?: "importar" };

/** Reads the address; what cannot be meant is left out. */
export function contactsAddress(search: Record<string, unknown>): ContactsAddress {
  // The router reads `?busca=2024` as a number.
  const words = typeof search.busca === "number" ? String(search.busca) : search.busca;
  const lista = rowId(search.lista);
  return {
    ...(typeof words === "string" && words.trim() !== "" ? { busca: searchWords(words) } : {}),
    ...(lista ? { lista } : {}),
    ...(search.abrir === "importar" ? { abrir: "importar" } : {}),
  };
}
