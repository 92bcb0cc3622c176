import { CalendarX2, Pause, TriangleAlert, WifiOff } from "lucide-react";
import type { Campaign } from "../../../contract/campaigns.ts";
import { HINDRANCES, UPLOAD_HINDRANCE } from "../../../domain/campaign.ts";
import type { LucideIcon } from "../../ui/icon.tsx";

const LINE_STANDS: readonly (string | null)[] = [...HINDRANCES, UPLOAD_HINDRANCE];

export function causeIcon({
  cause,
  connectionCause,
}: Pick<Campaign, "cause" | "connectionCause">): LucideIcon {
  if (cause === "missed") return CalendarX2;
  if (cause === "user") return Pause;
  return cause === "connection" && !LINE_STANDS.includes(connectionCause) ? WifiOff : TriangleAlert;
}
