import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { OptOut } from "../../../contract/opt-outs.ts";
import { api } from "../../api/call.ts";
import { PAGE, PART, type Rows, type Seen, useRowsByPlace, useRowsFound } from "../../api/paged-rows.ts";

// Under `contacts`, whose events cover every change.
const EVERYBODY = ["contacts", "opt-outs"];

type Wish = { after: number; limit: number; signal: AbortSignal };

/** A new opt-out comes first and moves all others: refetch the visible pages. */
async function ask({ after, limit, signal }: Wish, search?: string) {
  const query = { skip: after + 1, limit, ...(search ? { search } : {}) };
  const { optOuts, total, undecided, next } = await api("GET /api/opt-outs", { query, signal });
  return { items: optOuts, total, undecided, next: next === null ? null : after + optOuts.length };
}

export function useOptOutCount() {
  return useQuery({
    queryKey: [...EVERYBODY, 0],
    queryFn: ({ signal }) => ask({ after: -1, limit: PAGE, signal }),
  });
}

export function useEverybodyLeft(total: number, from: number, enabled: boolean): Rows<OptOut> {
  const [seen, setSeen] = useState<Seen>([0, 0]);
  const count = enabled ? Math.max(0, Math.min(PART, total - from)) : 0;
  return useRowsByPlace(EVERYBODY, { count, from, seen, setSeen }, ask);
}

export function useFoundLeft(search: string) {
  return useRowsFound<OptOut>([...EVERYBODY, "found", search], search !== "", (wish) => ask(wish, search));
}

export function useContactsChanged() {
  const queries = useQueryClient();
  return () => queries.invalidateQueries({ queryKey: ["contacts"] });
}
