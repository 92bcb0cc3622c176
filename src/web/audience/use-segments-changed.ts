import { useQueryClient } from "@tanstack/react-query";
import { useCallback } from "react";

export function useSegmentsChanged() {
  const queries = useQueryClient();
  return useCallback(() => queries.invalidateQueries({ queryKey: ["contacts"] }), [queries]);
}
