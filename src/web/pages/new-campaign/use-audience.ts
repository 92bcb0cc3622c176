import { useQuery } from "@tanstack/react-query";
import type { ContactListCard } from "../../../contract/contacts.ts";
import { api } from "../../api/call.ts";

const LISTS_PAGE = 100;
/** Nobody finds anything in a longer menu; further lists come up by editing the newest ones. */
const LISTS_PAGES = 10;
const FIRST = 5;

/** The account's lists, newest first. */
export function useLists() {
  return useQuery({ queryKey: ["contacts", "menu"], queryFn: ({ signal }) => fetchLists(signal) });
}

async function fetchLists(signal: AbortSignal): Promise<ContactListCard[]> {
  const lists: ContactListCard[] = [];
  let after: number | null = null;
  for (let page = 0; page < LISTS_PAGES; page += 1) {
    const answer: { items: ContactListCard[]; next: number | null } = await api("GET /api/contact-lists", {
      query: { limit: LISTS_PAGE, ...(after === null ? {} : { after }) },
      signal,
    });
    lists.push(...answer.items);
    if (answer.next === null) break;
    after = answer.next;
  }
  return lists;
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
