import { Info } from "lucide-react";
import type { ReactNode } from "react";
import { Icon, type LucideIcon } from "./icon.tsx";
import { Tooltip } from "./tooltip.tsx";

type Props = {
  label: string;
  icon: LucideIcon;
  figure: ReactNode;
  unit?: string;
  hint?: { label: string; text: string };
  children?: ReactNode;
};

export function Stat({ label, icon, figure, unit, hint, children }: Props) {
  return (
    <section className="card stat" aria-label={label}>
      <div className="label">
        <span>
          {label}
          {hint && (
            <Tooltip text={hint.text} tap>
              <button type="button" className="stat-hint" aria-label={hint.label}>
                <Icon of={Info} sm />
              </button>
            </Tooltip>
          )}
        </span>
        <Icon of={icon} />
      </div>
      <div className="figure">
        {figure} {unit && <small>{unit}</small>}
      </div>
      {children}
    </section>
  );
}
