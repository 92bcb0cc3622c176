import { inOwnTurn } from "../base/in-turn.ts";
import type { GuardedFetch } from "../net/guarded-fetch.ts";
import { type EvolutionClient, evolutionClient } from "../transports/gateway/evolution-client.ts";

/** `provided`: the operator's own configuration, which may be inside the network without an entry in RECADO_PRIVATE_HOSTS. */
export type Server = { url: string; provided: boolean };

/**
 * How to speak to a server: its address as stored, and the key that is meant to open it. `accountId`: who waits for the answers at a
 * screen; an account's calls beyond a few wait for each other.
 */
export type ReachServer = (server: Server, apiKey: string, accountId?: string) => EvolutionClient;

type Fetch = Pick<GuardedFetch, "fetch">;

/** Of the sixteen connections to one server, which may be the operator's and so everybody's. */
const OF_ACCOUNT = 6;

export function reachBy(guardedFetch: Fetch): ReachServer {
  const turn = inOwnTurn(OF_ACCOUNT);
  const fetchOf = (accountId: string): Fetch => ({
    fetch: (address, request) => turn(accountId, () => guardedFetch.fetch(address, request)),
  });

  return ({ url, provided }, apiKey, accountId) =>
    evolutionClient({
      guardedFetch: accountId === undefined ? guardedFetch : fetchOf(accountId),
      ...{ baseUrl: url, provided, apiKey },
    });
}
