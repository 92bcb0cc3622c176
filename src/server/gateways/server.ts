import type { GuardedFetch } from "../net/guarded-fetch.ts";
import { type EvolutionClient, evolutionClient } from "../transports/gateway/evolution-client.ts";

/** How to speak to a server: its address as stored, and the key that is meant to open it. */
export type ReachServer = (url: string, apiKey: string) => EvolutionClient;

export function reachBy(guardedFetch: Pick<GuardedFetch, "fetch">): ReachServer {
  return (baseUrl, apiKey) => evolutionClient({ guardedFetch, baseUrl, apiKey });
}
