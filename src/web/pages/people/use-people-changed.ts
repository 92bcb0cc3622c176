import { useQueryClient } from "@tanstack/react-query";
import { useCallback } from "react";

/** After a change of people, lists or fields: everything that shows them is asked for again. */
export function usePeopleChanged() {
  const queries = useQueryClient();
  return useCallback(() => queries.invalidateQueries({ queryKey: ["contacts"] }), [queries]);
}
