import { clsx } from "clsx";
import type { ReactNode } from "react";

type Props = { title: string; explained?: string; className?: string; children: ReactNode };

export function SectionCard({ title, explained, className, children }: Props) {
  return (
    <section className={clsx("card section", className)}>
      <header>
        <h2 className="card-title">{title}</h2>
        {explained && <p>{explained}</p>}
      </header>
      {children}
    </section>
  );
}
