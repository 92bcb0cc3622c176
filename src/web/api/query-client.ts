import { QueryClient } from "@tanstack/react-query";
import { ApiError } from "./api-error.ts";

/**
 * Query keys are `[topic, …]`, where topic is what the server's events name (`campaigns`, `contacts`, `connections`, `imports`),
 * and nothing else. Figures made of campaigns (dashboard, summary) live under `campaigns` too, so that they move with them.
 */
export function makeQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 5_000,
        networkMode: "always",
        // Without it nothing is, in this mode: a fault that told of no network would stand there until somebody presses.
        refetchOnReconnect: true,
        // A fault that the server named does not go away by asking again; a lost packet does.
        retry: (failures, error) => failures < 1 && !(error instanceof ApiError && error.status > 0),
        retryDelay: 800,
      },
      mutations: { networkMode: "always" },
    },
  });
}
