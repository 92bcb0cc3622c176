import { campaignsText as t } from "../../messages/campaigns.ts";
import { formatNumber, lengthOf } from "../../messages/format.ts";

export function paceText(perMinute: number | null): string {
  if (perMinute === null || perMinute <= 0) return t.paceUnknown;
  const whole = Math.round(perMinute);
  if (whole > 1) return t.perMinute(formatNumber(whole));
  const minutes = Math.round(1 / perMinute);
  if (minutes <= 1) return t.onePerMinute;
  if (minutes === 60) return t.onePerHour;
  const { text, rough } = lengthOf(60 / perMinute);
  return t.everyTime(text, rough);
}
