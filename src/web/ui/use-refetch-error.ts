import type { UseQueryResult } from "@tanstack/react-query";
import { useState } from "react";

/**
 * Whether to say that what is shown could not be asked for anew. Not before that has failed: where a further page did not come, which is
 * said below the rows, the query holds that fault also while it asks for the rows anew.
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
