import { rowId } from "./campaigns.ts";

/** What the screen's address says: which gateway's instances are shown. */
export type InstancesAddress = { evolution?: number };

/** Reads it; what cannot be meant is left out. */
export function instancesAddress(search: Record<string, unknown>): InstancesAddress {
  const evolution = rowId(search.evolution);
  return evolution ? { evolution } : {};
}
