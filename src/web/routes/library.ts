import { searchWords } from "../lib/search-words.ts";

export type LibraryAddress = { busca?: string };

export function libraryAddress(search: Record<string, unknown>): LibraryAddress {
  const words = typeof search.busca === "number" ? String(search.busca) : search.busca;
  return typeof words === "string" && words.trim() !== "" ? { busca: searchWords(words) } : {};
}
