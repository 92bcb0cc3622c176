import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { ContactListCard } from "../../../contract/contacts.ts";
import { ApiError } from "../../api/api-error.ts";
import { api } from "../../api/call.ts";
import { listsMenuQuery } from "../../api/contacts.ts";

const FIRST = 5;

export function useLists(chosen: string) {
  const [opened] = useState(chosen);
  const menu = useQuery(listsMenuQuery);
  const isIn = (lists: readonly ContactListCard[], list: string) =>
    list === "" || lists.some(({ id }) => String(id) === list);
  const wanted = menu.data && [chosen, opened].find((list) => !isIn(menu.data, list));
  const older = useQuery({
    queryKey: ["contacts", "menu", wanted],
    queryFn: ({ signal }) => fetchList(wanted ?? "", signal),
    enabled: wanted !== undefined,
  });
  const data = menu.data && older.data && wanted !== undefined ? [...menu.data, older.data] : menu.data;
  const open = wanted === chosen && older.data === undefined;
  return {
    data: open ? undefined : data,
    isPending: menu.isPending || (open && older.isPending),
    isError: menu.isError || (open && older.isError),
    refetch: () => (open ? older.refetch() : menu.refetch()),
  };
}

async function fetchList(list: string, signal: AbortSignal): Promise<ContactListCard | null> {
  try {
    return await api("GET /api/contact-lists/{id}", { params: { id: list }, signal });
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return null;
    throw error;
  }
}

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
