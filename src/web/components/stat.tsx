import type { ReactNode } from "react";
import { Icon, type LucideIcon } from "./icon.tsx";

type Props = { label: string; icon: LucideIcon; figure: string; unit?: string; children?: ReactNode };

/** One figure, and below it (children) how it changed. */
export function Stat({ label, icon, figure, unit, children }: Props) {
  return (
    <section className="card stat" aria-label={label}>
      <div className="label">
        {label}
        <Icon of={icon} />
      </div>
      <div className="figure">
        {figure} {unit && <small>{unit}</small>}
      </div>
      {children}
    </section>
  );
}
