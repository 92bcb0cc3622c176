import { clsx } from "clsx";
import type { ComponentProps } from "react";
import { Icon, type LucideIcon } from "./icon.tsx";
import { Tooltip } from "./tooltip.tsx";

type Props = Omit<ComponentProps<"button">, "aria-label"> & {
  label: string;
  icon: LucideIcon;
  small?: boolean;
  plain?: boolean;
};

export function IconButton({ label, icon, small, plain, className, ...rest }: Props) {
  const button = (
    <button
      type="button"
      {...rest}
      aria-label={label}
      className={clsx("btn ghost only-icon", small && "small", className)}
    >
      <Icon of={icon} />
    </button>
  );
  return plain ? button : <Tooltip text={label}>{button}</Tooltip>;
}
