import type { Clock } from "../../domain/clock.ts";
import type { Changes } from "../changes.ts";
import type { PrivateHosts } from "../net/addresses.ts";
import { openGuardedFetch } from "../net/guarded-fetch.ts";
import type { Secrets } from "../secrets.ts";
import { linkService } from "./links.ts";
import { openMistral } from "./mistral-client.ts";
import { agentService } from "./service.ts";
import { mistralSettings, type SettingsDeps } from "./settings.ts";

export type Agents = ReturnType<typeof openAgents>;

type Deps = {
  secrets: Pick<Secrets, "seal" | "open">;
  clock: Clock;
  changes: Pick<Changes, "mark">;
  privateHosts: PrivateHosts;
  operator: SettingsDeps["operator"];
};

/** All accounts share Mistral's one origin: slow answers of some must not hold every connection to it. */
const CONNECTIONS = 64;

/** Everything about agents, built together. */
export function openAgents({ secrets, clock, changes, privateHosts, operator }: Deps) {
  const guardedFetch = openGuardedFetch({ privateHosts, connections: CONNECTIONS });
  const settings = mistralSettings({ secrets, operator, mistral: openMistral({ guardedFetch, clock }) });
  const agents = agentService({ settings, changes });
  const links = linkService({ agents, changes });
  return { settings, agents, links };
}
