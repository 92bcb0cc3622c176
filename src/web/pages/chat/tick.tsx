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
import styles from "./message-log.module.css";

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

/** In a group `read` means one member, so it is not coloured. */
export function Tick({ status, reason, group = false }: Props) {
  const bySome = group && (status === "delivered" || status === "read");
  return (
    <span className={styles.proof} data-status={bySome ? "delivered" : status}>
      {bySome ? chatText.inGroup[status] : deliveryName(status, reason)}
      <Icon of={ICONS[status]} />
    </span>
  );
}
