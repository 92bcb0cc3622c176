import { CircleAlert, CircleCheck, Info, TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";
import { Icon } from "./icon.tsx";
import styles from "./notice.module.css";

const ICONS = { info: Info, success: CircleCheck, warning: TriangleAlert, danger: CircleAlert };

export function Notice({ tone, children }: { tone: keyof typeof ICONS; children: ReactNode }) {
  return (
    <div className={styles.notice} data-ui="notice" data-tone={tone}>
      <Icon of={ICONS[tone]} />
      <div>{children}</div>
    </div>
  );
}
