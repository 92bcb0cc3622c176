import type { ReactNode } from "react";
import { Icon, type LucideIcon } from "./icon.tsx";

type Props = {
  icon: LucideIcon;
  title: string;
  text: ReactNode;
  /** That a search or a filter found nothing is read aloud: whoever typed it is still in its field. */
  found?: boolean;
  children?: ReactNode;
};

/** What is missing, what to do about it, and the button that does it. */
export function EmptyState({ icon, title, text, found, children }: Props) {
  return (
    <div className="card blank" role={found ? "status" : undefined}>
      <span className="ico">
        <Icon of={icon} />
      </span>
      <h2>{title}</h2>
      <p>{text}</p>
      {children && <div className="actions">{children}</div>}
    </div>
  );
}
