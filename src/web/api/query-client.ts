import { QueryClient } from "@tanstack/react-query";
import { ApiError } from "./api-error.ts";

/**
 * Query keys are `[topic, …]` with the topics of the server's events (`campaigns`, `contacts` …). Dashboard
 * and summary are under `campaigns`, to change with them.
 */
function makeQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 5_000,
        networkMode: "always",
        // Otherwise nothing is refetched in this mode: an offline error would stay until the user presses.
        refetchOnReconnect: true,
        // An error named by the server stays on retry; a lost packet does not.
        retry: (failures, error) => failures < 1 && !(error instanceof ApiError && error.status > 0),
        retryDelay: 800,
      },
      mutations: { networkMode: "always" },
    },
  });
}

let kept: { of: string; queries: QueryClient } | undefined;

/** Also survives visits to public pages. */
export function queriesOf(person: string): QueryClient {
  if (kept?.of !== person) kept = { of: person, queries: makeQueryClient() };
  return kept.queries;
}
