import type { Workload } from "./workload.ts";
export const peersWorkload: Workload = { name: "peers", run: async () => undefined };
