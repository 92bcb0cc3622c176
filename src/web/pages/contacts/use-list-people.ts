import { useState } from "react";
import type { ContactListCard, ListedContact } from "../../../contract/contacts.ts";
import { api } from "../../api/call.ts";
import { PART, type Rows, type Seen, useRowsByPlace, useRowsFound } from "../../api/paged-rows.ts";

/** In file order. A list grows only at its end, so places have no gaps. */
export function useEverybodyOfList(
  list: ContactListCard,
  from: number,
  enabled: boolean,
): Rows<ListedContact> {
  const [seen, setSeen] = useState<Seen>([0, 0]);
  const count = enabled ? Math.max(0, Math.min(PART, list.count - from)) : 0;
  return useRowsByPlace(
    ["contacts", "people", list.id],
    { count, from, seen, setSeen },
    ({ signal, ...query }) =>
      api("GET /api/contact-lists/{id}/contacts", { params: { id: list.id }, query, signal }),
  );
}

export function useFoundInList(listId: number, search: string) {
  return useRowsFound<ListedContact>(
    ["contacts", "people", listId, "found", search],
    search !== "",
    ({ signal, ...page }) =>
      api("GET /api/contact-lists/{id}/contacts", {
        params: { id: listId },
        query: { search, ...page },
        signal,
      }),
  );
}
