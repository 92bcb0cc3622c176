import { clsx } from "clsx";
import type { ReactNode } from "react";
import styles from "./card.module.css";

type Props = { title: string; explained?: string; className?: string; children: ReactNode };

export function SectionCard({ title, explained, className, children }: Props) {
  return (
    <section className={clsx(styles.card, styles.section, className)}>
      <header>
        <h2 className={styles.cardTitle}>{title}</h2>
        {explained && <p>{explained}</p>}
      </header>
      {children}
    </section>
  );
}
