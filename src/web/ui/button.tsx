import { clsx } from "clsx";
import { LoaderCircle } from "lucide-react";
import { type ComponentProps, useLayoutEffect, useRef } from "react";
import styles from "./button.module.css";
import { Icon, type LucideIcon } from "./icon.tsx";
import textStyles from "./text.module.css";

export type Look = "primary" | "secondary" | "ghost" | "quiet-danger" | "danger";

export type ButtonLook = { look?: Look; small?: boolean; icon?: LucideIcon };

export const buttonClass = (small?: boolean, className?: string) =>
  clsx(styles.btn, small && styles.small, className);

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
      data-ui="btn"
      data-look={look}
      disabled={dead}
      aria-busy={busy || undefined}
    >
      {busy ? (
        <Icon of={LoaderCircle} sm className={textStyles.spin} />
      ) : icon ? (
        <Icon of={icon} sm={small ?? false} />
      ) : null}
      {busy && busyText ? busyText : children}
    </button>
  );
}

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
