import type { UseQueryResult } from "@tanstack/react-query";
import { useState } from "react";

export function useRefetchError({
  isRefetchError,
  isFetching,
}: Pick<UseQueryResult, "isRefetchError" | "isFetching">): boolean {
  const [failed, setFailed] = useState(false);
  const now = isRefetchError && (failed || !isFetching);
  if (now !== failed) setFailed(now);
  return now;
}
