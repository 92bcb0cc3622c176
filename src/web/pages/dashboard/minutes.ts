import { dashboardText as t } from "../../messages/dashboard.ts";
import { formatDecimal } from "../../messages/format.ts";

/** The least that one decimal can say. */
const LEAST = 0.1;

/** `0,8`; an interval that rounds to nothing is below `0,1`, not none; without any «—». */
export function formatMinutes(minutes: number | null): string {
  if (minutes === null || minutes >= LEAST / 2) return formatDecimal(minutes);
  return t.below(formatDecimal(LEAST));
}
