import { clsx } from "clsx";
import { LoaderCircle } from "lucide-react";
import { type ComponentProps, useLayoutEffect, useRef } from "react";
import { Icon, type LucideIcon } from "./icon.tsx";

export type Look = "primary" | "secondary" | "ghost" | "quiet-danger" | "danger";

export type ButtonLook = { look?: Look; small?: boolean; icon?: LucideIcon };

export const buttonClass = (small?: boolean, className?: string) => clsx("btn", small && "small", className);

type Props = Omit<ComponentProps<"button">, "ref"> & ButtonLook & { busy?: boolean; busyText?: string };

/** Disabled only while busy: a missing input is reported after the press. */
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
      className={buttonClass(small, className)}
      data-look={look}
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

/**
 * Browsers drop the focus of a disabled button. It is restored afterwards unless the focus moved elsewhere.
 */
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
