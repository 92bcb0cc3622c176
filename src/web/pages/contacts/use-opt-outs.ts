import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { OptOut } from "../../../contract/opt-outs.ts";
import { api } from "../../api/call.ts";
import { PAGE, PART, type Rows, type Seen, useRowsByPlace, useRowsFound } from "../../api/paged-rows.ts";

// Under the topic of contacts, which tells of every change.
const EVERYBODY = ["contacts", "opt-outs"];

type Wish = { after: number; limit: number; signal: AbortSignal };

/** Somebody who leaves comes first and moves all others: whatever is on the screen is then asked for anew. */
async function ask({ after, limit, signal }: Wish, search?: string) {
  const query = { skip: after + 1, limit, ...(search ? { search } : {}) };
  const { optOuts, total, undecided, next } = await api("GET /api/opt-outs", { query, signal });
  return { items: optOuts, total, undecided, next: next === null ? null : after + optOuts.length };
}

/** How many people want no campaigns, and of how many that is to be decided. The first page of them comes along, since the list begins with it. */
export function useOptOutCount() {
  return useQuery({
    queryKey: [...EVERYBODY, 0],
    queryFn: ({ signal }) => ask({ after: -1, limit: PAGE, signal }),
  });
}

/** People who want no campaigns, newest first, from place `from` on. */
export function useEverybodyLeft(total: number, from: number, enabled: boolean): Rows<OptOut> {
  const [seen, setSeen] = useState<Seen>([0, 0]);
  const count = enabled ? Math.max(0, Math.min(PART, total - from)) : 0;
  return useRowsByPlace(EVERYBODY, { count, from, seen, setSeen }, ask);
}

/** Those of them whose name or phone matches. */
export function useFoundLeft(search: string) {
  return useRowsFound<OptOut>([...EVERYBODY, "found", search], search !== "", (wish) => ask(wish, search));
}

/** After a change of ours: lists show who wants no campaigns, too. */
export function useContactsChanged() {
  const queries = useQueryClient();
  return () => queries.invalidateQueries({ queryKey: ["contacts"] });
}
