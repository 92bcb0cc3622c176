import { useQueryClient } from "@tanstack/react-query";
import { useCallback } from "react";

export function usePeopleChanged() {
  const queries = useQueryClient();
  return useCallback(() => queries.invalidateQueries({ queryKey: ["contacts"] }), [queries]);
}
