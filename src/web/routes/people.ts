import { searchWords } from "../lib/search-words.ts";
import { rowId } from "./campaigns.ts";

export const PEOPLE_ORDERS = ["nome", "nome-za", "antigas", "recentes"] as const;
export type PeopleOrder = (typeof PEOPLE_ORDERS)[number];

export type PeopleAddress = {
  busca?: string;
  /** Only the people of this list. */
  lista?: number;
  /** By name from A to Z unless said. */
  ordem?: PeopleOrder;
};

/** Invalid values are dropped. */
export function peopleAddress(search: Record<string, unknown>): PeopleAddress {
  // The router parses `?busca=2024` as a number.
  const words = typeof search.busca === "number" ? String(search.busca) : search.busca;
  const lista = rowId(search.lista);
  const ordem = PEOPLE_ORDERS.find((order) => order === search.ordem);
  return {
    ...(typeof words === "string" && words.trim() !== "" ? { busca: searchWords(words) } : {}),
    ...(lista ? { lista } : {}),
    ...(ordem && ordem !== "nome" ? { ordem } : {}),
  };
}
