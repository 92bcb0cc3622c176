import type { CSSProperties, ReactNode } from "react";
import { commonText } from "../messages/common.ts";

export function Bone({ width, height, style }: { width?: string; height?: string; style?: CSSProperties }) {
  return <span className="sk" style={{ width, height, ...style }} />;
}

/** Appears after 150 ms; one word for screen readers. */
export function Skeleton({ children, className }: { children: ReactNode; className?: string }) {
  return (
    <div className="after-a-moment" role="status">
      <span className="sr-only">{commonText.loading}</span>
      <div aria-hidden="true" className={className}>
        {children}
      </div>
    </div>
  );
}
