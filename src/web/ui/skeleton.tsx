import type { CSSProperties, ReactNode } from "react";
import { commonText } from "../messages/common.ts";

/** One grey line of the final shape. */
export function Bone({ width, height, style }: { width?: string; height?: string; style?: CSSProperties }) {
  return <span className="sk" style={{ width, height, ...style }} />;
}

/** Shows the shape of what is being fetched after 150 ms; for screen readers one word. */
export function Skeleton({ children, className = "" }: { children: ReactNode; className?: string }) {
  return (
    <div className="after-a-moment" role="status">
      <span className="sr-only">{commonText.loading}</span>
      <div aria-hidden="true" className={className}>
        {children}
      </div>
    </div>
  );
}
