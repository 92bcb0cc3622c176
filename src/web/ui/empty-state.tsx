import { clsx } from "clsx";
import type { ReactNode } from "react";
import cardStyles from "./card.module.css";
import styles from "./empty-state.module.css";
import { Icon, type LucideIcon } from "./icon.tsx";
import pageStyles from "./page.module.css";

type Props = {
  icon: LucideIcon;
  title: string;
  text: ReactNode;
  /** Reads the empty search result aloud: the focus is still in the search field. */
  found?: boolean;
  children?: ReactNode;
};

export function EmptyState({ icon, title, text, found, children }: Props) {
  return (
    <div className={clsx(cardStyles.card, styles.blank)} data-ui="blank" role={found ? "status" : undefined}>
      <span className={styles.ico} data-ui="ico">
        <Icon of={icon} />
      </span>
      <h2>{title}</h2>
      <p>{text}</p>
      {children && (
        <div className={pageStyles.actions} data-ui="actions">
          {children}
        </div>
      )}
    </div>
  );
}
