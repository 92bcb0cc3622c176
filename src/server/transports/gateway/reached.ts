import type { InstanceAccess } from "./access.ts";
import type { EvolutionClient } from "./evolution-client.ts";

export type Reached = { access: InstanceAccess; client: EvolutionClient };
