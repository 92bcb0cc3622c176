import type { ReactNode, Ref } from "react";

type Props = { label: string; className?: string; ref?: Ref<HTMLElement>; children: ReactNode };

/** Whatever scrolls by itself must be reachable by keyboard, else its end is out of reach without a mouse. */
const REACHABLE = { tabIndex: 0 };

/** A named part of the screen with a scroll of its own. */
export function ScrollRegion({ label, className, ref, children }: Props) {
  return (
    <section ref={ref} aria-label={label} className={className} {...REACHABLE}>
      {children}
    </section>
  );
}
