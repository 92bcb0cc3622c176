import {
  Check,
  CheckCheck,
  CircleDashed,
  CircleQuestionMark,
  CircleSlash,
  CircleX,
  Clock,
  Eye,
  Send,
} from "lucide-react";
import type { ShownDelivery } from "../../domain/campaign.ts";
import { deliveryName } from "../messages/deliveries.ts";
import { Badge, type Tone } from "./badge.tsx";
import type { LucideIcon } from "./icon.tsx";

const LOOKS: Record<ShownDelivery, { tone: Tone; icon: LucideIcon }> = {
  pending: { tone: "quiet", icon: Clock },
  sending: { tone: "quiet", icon: Send },
  accepted: { tone: "quiet", icon: CircleDashed },
  sent: { tone: "quiet", icon: Check },
  delivered: { tone: "info", icon: CheckCheck },
  read: { tone: "success", icon: Eye },
  error: { tone: "danger", icon: CircleX },
  uncertain: { tone: "warning", icon: CircleQuestionMark },
  skipped: { tone: "quiet", icon: CircleSlash },
};

export function DeliveryBadge({ status, reason }: { status: ShownDelivery; reason: string | null }) {
  return <Badge {...LOOKS[status]}>{deliveryName(status, reason)}</Badge>;
}
