import { type Agents, openAgents } from "../../agents/agents.ts";
import { ANSWER_TIMES } from "../../agents/assistant.ts";
import { scaled } from "../../base/time-scale.ts";
import { readPrivateHosts } from "../../net/addresses.ts";
import type { Common } from "./common.ts";

export function composeAgents(common: Common): Promise<Agents> {
  const { config, database, secrets, clock, log, changes, queues, signals, works } = common;
  return openAgents({
    database,
    secrets,
    clock,
    log,
    changes,
    queues,
    role: { works, signals },
    privateHosts: readPrivateHosts(config.privateHosts, "mistral"),
    operator: config.mistral,
    times: scaled(ANSWER_TIMES, config.timeScale),
  });
}
