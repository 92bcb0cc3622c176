import { clsx } from "clsx";
import type { ReactNode, Ref } from "react";
import layoutStyles from "./layout.module.css";

type Props = { label: string; className?: string; ref?: Ref<HTMLElement>; children: ReactNode };

/** A scroll box must be focusable, or keyboard users cannot reach its end. */
const REACHABLE = { tabIndex: 0 };

export function ScrollRegion({ label, className, ref, children }: Props) {
  return (
    <section ref={ref} aria-label={label} className={clsx(layoutStyles.ringInside, className)} {...REACHABLE}>
      {children}
    </section>
  );
}
