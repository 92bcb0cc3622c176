import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { ContactListCard } from "../../../contract/contacts.ts";
import { ApiError } from "../../api/api-error.ts";
import { api } from "../../api/call.ts";

const LISTS_PAGE = 100;
const FIRST = 5;

/**
 * All of the account's lists, newest first: whoever adds people by hand has a list of each, and the one that everything goes to is the
 * oldest. With the one the form has (`chosen`) and the one it opened with, should they have come since.
 */
export function useLists(chosen: string) {
  const [opened] = useState(chosen);
  const menu = useQuery({ queryKey: ["contacts", "menu"], queryFn: ({ signal }) => fetchLists(signal) });
  const isIn = (lists: readonly ContactListCard[], list: string) =>
    list === "" || lists.some(({ id }) => String(id) === list);
  const wanted = menu.data && [chosen, opened].find((list) => !isIn(menu.data, list));
  const older = useQuery({
    queryKey: ["contacts", "menu", wanted],
    queryFn: ({ signal }) => fetchList(wanted ?? "", signal),
    enabled: wanted !== undefined,
  });
  const data = menu.data && older.data && wanted !== undefined ? [...menu.data, older.data] : menu.data;
  // Whether the chosen one is there is not known before the server has said so.
  const open = wanted === chosen && older.data === undefined;
  return {
    data: open ? undefined : data,
    isPending: menu.isPending || (open && older.isPending),
    isError: menu.isError || (open && older.isError),
    refetch: () => (open ? older.refetch() : menu.refetch()),
  };
}

/** Null when it is gone. */
async function fetchList(list: string, signal: AbortSignal): Promise<ContactListCard | null> {
  try {
    return await api("GET /api/contact-lists/{id}", { params: { id: list }, signal });
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return null;
    throw error;
  }
}

async function fetchLists(signal: AbortSignal): Promise<ContactListCard[]> {
  const lists: ContactListCard[] = [];
  let after: number | null | undefined;
  while (after !== null) {
    const page: { items: ContactListCard[]; next: number | null } = await api("GET /api/contact-lists", {
      query: { limit: LISTS_PAGE, ...(after ? { after } : {}) },
      signal,
    });
    lists.push(...page.items);
    after = page.next;
  }
  return lists;
}

/** How many of a list's contacts want no campaigns; null until that is known. Where it cannot be, nobody is said to be left out. */
export function useLeft(list: string): number | null {
  const query = useQuery({
    queryKey: ["contacts", "left", list],
    queryFn: ({ signal }) => api("GET /api/contact-lists/{id}", { params: { id: list }, signal }),
    enabled: list !== "",
  });
  return query.data?.optedOut ?? (query.isError ? 0 : null);
}

/** The first five contacts of a list, for a look at who gets the message and how it reads. */
export function useFirstContacts(list: string) {
  return useQuery({
    queryKey: ["contacts", "first", list],
    queryFn: ({ signal }) =>
      api("GET /api/contact-lists/{id}/contacts", {
        params: { id: list },
        query: { limit: FIRST },
        signal,
      }),
    enabled: list !== "",
  });
}
