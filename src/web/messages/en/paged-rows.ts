import type { listPeopleText as People, pagedRowsText as Rows } from "../paged-rows.ts";

export const pagedRowsText: typeof Rows = {
  range: (from, to, total) => `Rows ${from} to ${to} of ${total}`,
  earlier: "Earlier rows",
  later: "Later rows",
  loadingRow: "Loading...",
  printed: (from, to) => `Only rows ${from} to ${to} of this list are printed.`,
};

export const listPeopleText: typeof People = {
  all: (name) => `See all contacts of ${name}`,
  search: "Search this list",
  searchPlaceholder: "Search by name or phone...",
  people: "Contacts of the list",
  failed: "Could not get the contacts",
  nothing: (words) => `Nothing found for “${words}”.`,
};
