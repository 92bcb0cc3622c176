import type { ReactNode } from "react";
import { Icon, type LucideIcon } from "./icon.tsx";

type Props = { icon: LucideIcon; title: string; text: ReactNode; children?: ReactNode };

/** What is missing, what to do about it, and the button that does it. */
export function EmptyState({ icon, title, text, children }: Props) {
  return (
    <div className="card blank">
      <span className="ico">
        <Icon of={icon} />
      </span>
      <h2>{title}</h2>
      <p>{text}</p>
      {children && <div className="actions">{children}</div>}
    </div>
  );
}
