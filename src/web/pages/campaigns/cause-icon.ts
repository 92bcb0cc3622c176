import { CalendarX2, Pause, TriangleAlert, WifiOff } from "lucide-react";
import type { Campaign } from "../../../contract/campaigns.ts";
import { HINDRANCES, IMAGE_HINDRANCE } from "../../../domain/campaign.ts";
import type { LucideIcon } from "../../ui/icon.tsx";

/** Causes whose number is connected all the same, as Conexões shows it: no line is lost. */
const LINE_STANDS: readonly (string | null)[] = [...HINDRANCES, IMAGE_HINDRANCE];

/** The sign beside why a campaign stands still. */
export function causeIcon({
  cause,
  connectionCause,
}: Pick<Campaign, "cause" | "connectionCause">): LucideIcon {
  if (cause === "missed") return CalendarX2;
  if (cause === "user") return Pause;
  return cause === "connection" && !LINE_STANDS.includes(connectionCause) ? WifiOff : TriangleAlert;
}
