import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import type { PeopleAddress, PeopleOrder } from "../routes/people.ts";
import { api } from "./call.ts";

const PEOPLE_PAGE = 100;

const SORTS = {
  nome: { sort: "name", descending: "false" },
  "nome-za": { sort: "name", descending: "true" },
  antigas: { sort: "created", descending: "false" },
  recentes: { sort: "created", descending: "true" },
} as const satisfies Record<PeopleOrder, object>;

export const scopeOf = ({ busca, lista }: PeopleAddress) => ({
  ...(busca ? { search: busca } : {}),
  ...(lista ? { listId: lista } : {}),
});

/* Under `contacts`, whose events cover every change. */

export const peopleQuery = (address: PeopleAddress) =>
  infiniteQueryOptions({
    queryKey: ["contacts", "table", address],
    queryFn: ({ pageParam, signal }) =>
      api("GET /api/people", {
        query: {
          ...scopeOf(address),
          ...SORTS[address.ordem ?? "nome"],
          limit: PEOPLE_PAGE,
          ...(pageParam ? { cursor: pageParam } : {}),
        },
        signal,
      }),
    initialPageParam: "",
    getNextPageParam: (last) => last.next,
  });

export const peopleCountQuery = (address: PeopleAddress) =>
  queryOptions({
    queryKey: ["contacts", "table-count", scopeOf(address)],
    queryFn: ({ signal }) => api("GET /api/people/count", { query: scopeOf(address), signal }),
  });

export const fieldsQuery = queryOptions({
  queryKey: ["contacts", "fields"],
  queryFn: async ({ signal }) => (await api("GET /api/contact-fields", { signal })).items,
});

export const personQuery = (id: number) =>
  queryOptions({
    queryKey: ["contacts", "person", id],
    queryFn: ({ signal }) => api("GET /api/people/{id}", { params: { id }, signal }),
  });

export const historyQuery = (id: number) =>
  infiniteQueryOptions({
    queryKey: ["contacts", "person", id, "history"],
    queryFn: ({ pageParam, signal }) =>
      api("GET /api/people/{id}/history", {
        params: { id },
        query: pageParam ? { cursor: pageParam } : {},
        signal,
      }),
    initialPageParam: "",
    getNextPageParam: (last) => last.next,
  });

export const erasureQuery = (id: number) =>
  queryOptions({
    queryKey: ["contacts", "person", id, "erasure"],
    queryFn: ({ signal }) => api("GET /api/people/{id}/erasure", { params: { id }, signal }),
    gcTime: 0,
  });

export const whyQuery = (id: number) =>
  queryOptions({
    queryKey: ["contacts", "person", id, "why"],
    queryFn: ({ signal }) => api("GET /api/people/{id}/why", { params: { id }, signal }),
  });

export const listQuery = (id: number) =>
  queryOptions({
    queryKey: ["contacts", "one-list", id],
    queryFn: ({ signal }) => api("GET /api/contact-lists/{id}", { params: { id }, signal }),
  });
