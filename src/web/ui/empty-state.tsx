import type { ReactNode } from "react";
import { Icon, type LucideIcon } from "./icon.tsx";

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
