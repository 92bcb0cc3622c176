import { rowId } from "./campaigns.ts";

export type InstancesAddress = { evolution?: number };

/** Invalid values are dropped. */
export function instancesAddress(search: Record<string, unknown>): InstancesAddress {
  const evolution = rowId(search.evolution);
  return evolution ? { evolution } : {};
}
