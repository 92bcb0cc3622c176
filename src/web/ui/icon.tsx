import { clsx } from "clsx";
import type { LucideIcon } from "lucide-react";
import styles from "./icon.module.css";

export type { LucideIcon } from "lucide-react";

/** Always beside text, so hidden from screen readers. `sm` is 16 px, else 18. */
export function Icon({ of: Drawing, sm, className }: { of: LucideIcon; sm?: boolean; className?: string }) {
  return <Drawing aria-hidden="true" className={clsx(styles.icon, sm && styles.sm, className)} />;
}
