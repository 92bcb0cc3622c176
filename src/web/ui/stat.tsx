import { clsx } from "clsx";
import { Info } from "lucide-react";
import type { ReactNode } from "react";
import cardStyles from "./card.module.css";
import { Icon, type LucideIcon } from "./icon.tsx";
import layoutStyles from "./layout.module.css";
import styles from "./stat.module.css";
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
    <section className={clsx(cardStyles.card, styles.stat)} aria-label={label}>
      <div className={styles.label}>
        <span>
          {label}
          {hint && (
            <Tooltip text={hint.text} tap>
              <button type="button" className={styles.statHint} aria-label={hint.label}>
                <Icon of={Info} sm />
              </button>
            </Tooltip>
          )}
        </span>
        <Icon of={icon} className={layoutStyles.wideOnly} />
      </div>
      <div className={styles.figure} data-ui="figure">
        {figure} {unit && <small>{unit}</small>}
      </div>
      {children}
    </section>
  );
}
