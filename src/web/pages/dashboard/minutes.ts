import { dashboardText as t } from "../../messages/dashboard.ts";
import { formatDecimal } from "../../messages/format.ts";

const LEAST = 0.1;

/** `0,8`; above zero but rounding to it: below `0,1`; null → «—». */
export function formatMinutes(minutes: number | null): string {
  if (minutes === null || minutes >= LEAST / 2) return formatDecimal(minutes);
  return t.below(formatDecimal(LEAST));
}
