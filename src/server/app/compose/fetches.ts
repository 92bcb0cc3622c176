import type { Config } from "../../base/config.ts";
import { type Purpose, readPrivateHosts } from "../../net/addresses.ts";
import { openGuardedFetch } from "../../net/guarded-fetch.ts";

/** Per gateway: a send on a reconnecting instance blocks for a minute and must not delay others. */
const INSTANCE_CONNECTIONS = 128;
/** Per host: many accounts forward to the same few hosts. */
const WEBHOOK_CONNECTIONS = 128;

export type Fetches = ReturnType<typeof openFetches>;

export function openFetches(config: Config) {
  const opened = (purpose: Purpose, connections?: number) =>
    openGuardedFetch({
      privateHosts: readPrivateHosts(config.privateHosts, purpose),
      ...(connections ? { connections } : {}),
    });
  return {
    picture: opened("picture"),
    gateway: opened("gateway"),
    instance: opened("gateway", INSTANCE_CONNECTIONS),
    missed: opened("gateway", WEBHOOK_CONNECTIONS),
    relay: opened("relay", WEBHOOK_CONNECTIONS),
  };
}
