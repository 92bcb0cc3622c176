import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { OptOut } from "../../../contract/opt-outs.ts";
import { askOptOuts, OPT_OUTS_KEY, optOutsQuery } from "../../api/contacts.ts";
import { PART, type Rows, type Seen, useRowsByPlace, useRowsFound } from "../../api/paged-rows.ts";

export const useOptOutCount = () => useQuery(optOutsQuery);

export function useEverybodyLeft(total: number, from: number, enabled: boolean): Rows<OptOut> {
  const [seen, setSeen] = useState<Seen>([0, 0]);
  const count = enabled ? Math.max(0, Math.min(PART, total - from)) : 0;
  return useRowsByPlace(OPT_OUTS_KEY, { count, from, seen, setSeen }, askOptOuts);
}

export function useFoundLeft(search: string) {
  return useRowsFound<OptOut>([...OPT_OUTS_KEY, "found", search], search !== "", (wish) =>
    askOptOuts(wish, search),
  );
}

export function useContactsChanged() {
  const queries = useQueryClient();
  return () => queries.invalidateQueries({ queryKey: ["contacts"] });
}
