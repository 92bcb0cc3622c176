import { Check, CheckCheck, CircleQuestionMark, CircleSlash, CircleX, Clock } from "lucide-react";
import type { ShownDelivery } from "../../../domain/campaign.ts";
import { Icon, type LucideIcon } from "../../components/icon.tsx";
import { deliveryName } from "../../messages/deliveries.ts";

const ICONS: Record<ShownDelivery, LucideIcon> = {
  pending: Clock,
  sending: Clock,
  sent: Check,
  delivered: CheckCheck,
  read: CheckCheck,
  error: CircleX,
  uncertain: CircleQuestionMark,
  skipped: CircleSlash,
};

/** What is proven of one of our messages: a word and its tick. */
export function Tick({ status, reason }: { status: ShownDelivery; reason: string | null }) {
  return (
    <span className={`proof ${status}`}>
      {deliveryName(status, reason)}
      <Icon of={ICONS[status]} />
    </span>
  );
}
