import { clsx } from "clsx";
import { LoaderCircle } from "lucide-react";
import { type ComponentProps, useLayoutEffect, useRef } from "react";
import { Icon, type LucideIcon } from "./icon.tsx";

export type Look = "primary" | "secondary" | "ghost" | "quiet-danger" | "danger";

export type ButtonLook = { look?: Look; small?: boolean; icon?: LucideIcon };

/** The classes of a button, also for links that look like one. */
export const buttonClass = (look: Look, small?: boolean, className?: string) =>
  clsx("btn", look, small && "small", className);

type Props = Omit<ComponentProps<"button">, "ref"> & ButtonLook & { busy?: boolean; busyText?: string };

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
  const dead = Boolean(busy || rest.disabled);
  const own = useKeptKeyboard(dead);
  return (
    <button
      type="button"
      {...rest}
      ref={own}
      className={buttonClass(look, small, className)}
      disabled={dead}
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

/** Browsers let the keyboard fall out of a button that is dead. It comes back with its life, unless it has gone elsewhere. */
function useKeptKeyboard(dead: boolean) {
  const own = useRef<HTMLButtonElement>(null);
  const had = useRef(false);
  useLayoutEffect(() => {
    const { activeElement } = document;
    if (!dead && had.current && activeElement === document.body) own.current?.focus({ preventScroll: true });
    had.current = dead && activeElement === own.current;
  }, [dead]);
  return own;
}
