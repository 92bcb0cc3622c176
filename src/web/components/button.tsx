import { clsx } from "clsx";
import { LoaderCircle } from "lucide-react";
import type { ComponentProps } from "react";
import { Icon, type LucideIcon } from "./icon.tsx";

export type Look = "primary" | "secondary" | "ghost" | "quiet-danger" | "danger";

export type ButtonLook = { look?: Look; small?: boolean; icon?: LucideIcon };

/** The classes of a button, also for links that look like one. */
export const buttonClass = (look: Look, small?: boolean, className?: string) =>
  clsx("btn", look, small && "small", className);

type Props = ComponentProps<"button"> & ButtonLook & { busy?: boolean; busyText?: string };

/** Pressable unless busy: what is missing is said after the press, not by a dead button. */
export function Button({
  look = "secondary",
  small,
  icon,
  busy,
  busyText,
  className,
  children,
  ...rest
}: Props) {
  return (
    <button
      type="button"
      {...rest}
      className={buttonClass(look, small, className)}
      disabled={busy || rest.disabled}
      aria-busy={busy || undefined}
    >
      {busy ? (
        <Icon of={LoaderCircle} sm className="spin" />
      ) : icon ? (
        <Icon of={icon} sm={small ?? false} />
      ) : null}
      {busy && busyText ? busyText : children}
    </button>
  );
}
