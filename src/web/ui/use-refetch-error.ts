import type { UseQueryResult } from "@tanstack/react-query";
import { useState } from "react";

/**
 * Whether the refetch itself failed. An error of the next page stays in the query and is shown below the
 * rows.
 */
export function useRefetchError({
  isRefetchError,
  isFetching,
}: Pick<UseQueryResult, "isRefetchError" | "isFetching">): boolean {
  const [failed, setFailed] = useState(false);
  const now = isRefetchError && (failed || !isFetching);
  if (now !== failed) setFailed(now);
  return now;
}
