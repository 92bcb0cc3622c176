import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import type { ContactListCard } from "../../contract/contacts.ts";
import type { ContactsAddress } from "../routes/contacts.ts";
import { api } from "./call.ts";
import { PAGE } from "./paged-rows.ts";

const LISTS_PAGE = 100;

export const contactListsQuery = ({ busca: search = "", lista }: ContactsAddress) =>
  infiniteQueryOptions({
    queryKey: ["contacts", "lists", search, lista],
    queryFn: ({ pageParam, signal }) =>
      api("GET /api/contact-lists", {
        query: {
          search,
          limit: 24,
          ...(lista ? { id: lista } : {}),
          ...(pageParam ? { after: pageParam } : {}),
        },
        signal,
      }),
    initialPageParam: 0,
    getNextPageParam: (last) => last.next,
  });

export const listsMenuQuery = queryOptions({
  queryKey: ["contacts", "menu"],
  queryFn: ({ signal }) => fetchLists(signal),
});

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

export const importsQuery = queryOptions({
  queryKey: ["imports", "recent"],
  queryFn: ({ signal }) => api("GET /api/contact-imports", { signal }),
});

/** Under `contacts`, whose events cover every change. */
export const OPT_OUTS_KEY = ["contacts", "opt-outs"];

type Wish = { after: number; limit: number; signal: AbortSignal };

/** A new opt-out comes first and moves all others: refetch the visible pages. */
export async function askOptOuts({ after, limit, signal }: Wish, search?: string) {
  const query = { skip: after + 1, limit, ...(search ? { search } : {}) };
  const { optOuts, total, undecided, next } = await api("GET /api/opt-outs", { query, signal });
  return { items: optOuts, total, undecided, next: next === null ? null : after + optOuts.length };
}

/** The first page, which carries the count. */
export const optOutsQuery = queryOptions({
  queryKey: [...OPT_OUTS_KEY, 0],
  queryFn: ({ signal }) => askOptOuts({ after: -1, limit: PAGE, signal }),
});
