import { clsx } from "clsx";
import { CircleCheck, CircleMinus, LoaderCircle } from "lucide-react";
import { connectText } from "../messages/connect.ts";
import { Icon } from "../ui/icon.tsx";
import textStyles from "../ui/text.module.css";
import styles from "./pairing.module.css";

const t = connectText.flow;

export type Flow = "disconnected" | "connecting" | "waiting" | "waitingCode" | "connected";

const LOOKS = {
  disconnected: { tone: "quiet", icon: CircleMinus, spin: false },
  connecting: { tone: "warning", icon: LoaderCircle, spin: true },
  waiting: { tone: "warning", icon: LoaderCircle, spin: true },
  waitingCode: { tone: "warning", icon: LoaderCircle, spin: true },
  connected: { tone: "success", icon: CircleCheck, spin: false },
};

export function FlowStatus({ flow }: { flow: Flow }) {
  const look = LOOKS[flow];
  return (
    <div className={clsx(textStyles.label, styles.flow)} data-tone={look.tone} role="status">
      <Icon of={look.icon} sm className={look.spin ? textStyles.spin : undefined} />
      {t[flow]}
    </div>
  );
}
