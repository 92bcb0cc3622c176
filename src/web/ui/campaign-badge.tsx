import { Ban, CalendarClock, Check, CircleX, Pause, PencilLine, TriangleAlert } from "lucide-react";
import type { DisplayStatus } from "../../domain/campaign.ts";
import { campaignsText } from "../messages/campaigns.ts";
import { Badge, type Tone } from "./badge.tsx";
import type { LucideIcon } from "./icon.tsx";

const LOOKS: Record<DisplayStatus, { tone: Tone; icon?: LucideIcon }> = {
  sending: { tone: "live" },
  completed: { tone: "success", icon: Check },
  scheduled: { tone: "info", icon: CalendarClock },
  paused: { tone: "warning", icon: Pause },
  partially_completed: { tone: "warning", icon: TriangleAlert },
  failed: { tone: "danger", icon: CircleX },
  draft: { tone: "quiet", icon: PencilLine },
  cancelled: { tone: "quiet", icon: Ban },
};

export function CampaignBadge({ status }: { status: DisplayStatus }) {
  return <Badge {...LOOKS[status]}>{campaignsText.status[status]}</Badge>;
}
