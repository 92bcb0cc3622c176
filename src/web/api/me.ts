import { queryOptions, useSuspenseQuery } from "@tanstack/react-query";
import type { Me } from "../../contract/accounts.ts";
import { api } from "./call.ts";

/** Who is signed in. Kept until logout: every other call notices when the session has ended. */
export const meQuery = queryOptions({
  queryKey: ["me"],
  queryFn: ({ signal }) => api("GET /api/me", { signal }),
  staleTime: Number.POSITIVE_INFINITY,
});

/** The signed-in person; only inside the shell, whose route has already asked. */
export function useMe(): Me {
  return useSuspenseQuery(meQuery).data;
}
