import type { CSSProperties, ReactNode } from "react";
import { commonText } from "../messages/common.ts";
import layoutStyles from "./layout.module.css";
import styles from "./skeleton.module.css";

export function Bone({ width, height, style }: { width?: string; height?: string; style?: CSSProperties }) {
  return <span className={styles.sk} data-ui="sk" style={{ width, height, ...style }} />;
}

/** Appears after 150 ms; one word for screen readers. */
export function Skeleton({ children, className }: { children: ReactNode; className?: string }) {
  return (
    <div className={styles.afterAMoment} data-ui="after-a-moment" role="status">
      <span className={layoutStyles.srOnly}>{commonText.loading}</span>
      <div aria-hidden="true" className={className}>
        {children}
      </div>
    </div>
  );
}
