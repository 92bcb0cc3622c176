import type { InstanceAccess } from "./access.ts";
import type { EvolutionClient } from "./evolution-client.ts";

/** How to speak to an instance, as last read. */
export type Reached = { access: InstanceAccess; client: EvolutionClient };
