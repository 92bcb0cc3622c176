import {
  Check,
  CheckCheck,
  CircleDashed,
  CircleQuestionMark,
  CircleSlash,
  CircleX,
  Clock,
} from "lucide-react";
import type { ShownDelivery } from "../../../domain/campaign.ts";
import { chatText } from "../../messages/chat.ts";
import { deliveryName } from "../../messages/deliveries.ts";
import { Icon, type LucideIcon } from "../../ui/icon.tsx";

const ICONS: Record<ShownDelivery, LucideIcon> = {
  pending: Clock,
  sending: Clock,
  accepted: CircleDashed,
  sent: Check,
  delivered: CheckCheck,
  read: CheckCheck,
  error: CircleX,
  uncertain: CircleQuestionMark,
  skipped: CircleSlash,
};

type Props = { status: ShownDelivery; reason: string | null; group?: boolean };

/** What is proven of one of our messages: a word and its tick. In a group of one member, which is not the colour of having been read. */
export function Tick({ status, reason, group = false }: Props) {
  const bySome = group && (status === "delivered" || status === "read");
  return (
    <span className={`proof ${bySome ? "delivered" : status}`}>
      {bySome ? chatText.inGroup[status] : deliveryName(status, reason)}
      <Icon of={ICONS[status]} />
    </span>
  );
}
