import type { ReactNode } from "react";
import { Icon, type LucideIcon } from "./icon.tsx";

export type Tone = "live" | "success" | "info" | "warning" | "danger" | "quiet";

/** A state: colour, icon and word together, never colour alone. `live` brings its own pulsing dot. */
export function Badge({ tone, icon, children }: { tone: Tone; icon?: LucideIcon; children: ReactNode }) {
  return (
    <span className={`badge ${tone}`}>
      {icon && tone !== "live" && <Icon of={icon} />}
      {children}
    </span>
  );
}
