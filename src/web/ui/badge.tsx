import { clsx } from "clsx";
import type { ReactNode } from "react";
import styles from "./badge.module.css";
import { Icon, type LucideIcon } from "./icon.tsx";

export type Tone = "live" | "success" | "info" | "warning" | "danger" | "quiet";

type Props = { tone: Tone; icon?: LucideIcon; low?: boolean; children: ReactNode };

export function Badge({ tone, icon, low, children }: Props) {
  return (
    <span className={clsx(styles.badge, low && styles.low)} data-ui="badge" data-tone={tone}>
      {icon && tone !== "live" && <Icon of={icon} />}
      {children}
    </span>
  );
}
