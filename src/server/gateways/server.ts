import { inOwnTurn } from "../base/in-turn.ts";
import type { GuardedFetch } from "../net/guarded-fetch.ts";
import { EvolutionClient } from "../transports/gateway/evolution-client.ts";

/** `provided`: may be internal without an entry in RECADO_PRIVATE_HOSTS. */
export type Server = { url: string; provided: boolean };

/** `accountId`: limits an account's concurrent calls. */
export type ReachServer = (server: Server, apiKey: string, accountId?: string) => EvolutionClient;

type Fetch = Pick<GuardedFetch, "fetch">;

/** Of the sixteen connections per server. */
const OF_ACCOUNT = 6;

export function reachBy(guardedFetch: Fetch): ReachServer {
  const turn = inOwnTurn(OF_ACCOUNT);
  const fetchOf = (accountId: string): Fetch => ({
    fetch: (address, request) => turn(accountId, () => guardedFetch.fetch(address, request)),
  });

  return ({ url, provided }, apiKey, accountId) =>
    new EvolutionClient({
      guardedFetch: accountId === undefined ? guardedFetch : fetchOf(accountId),
      baseUrl: url,
      provided,
      apiKey,
    });
}
