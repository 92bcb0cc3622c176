import { useQueryClient } from "@tanstack/react-query";
import { useCallback } from "react";

/** What is counted of them changes as well. */
export function useSegmentsChanged() {
  const queries = useQueryClient();
  return useCallback(() => queries.invalidateQueries({ queryKey: ["contacts"] }), [queries]);
}
