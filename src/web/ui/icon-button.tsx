import { clsx } from "clsx";
import type { ComponentProps } from "react";
import buttonStyles from "./button.module.css";
import type { Look } from "./button.tsx";
import { Icon, type LucideIcon } from "./icon.tsx";
import { Tooltip } from "./tooltip.tsx";

type Props = Omit<ComponentProps<"button">, "aria-label"> & {
  label: string;
  icon: LucideIcon;
  small?: boolean;
  plain?: boolean;
  look?: Look;
};

export function IconButton({ label, icon, small, plain, look = "ghost", className, ...rest }: Props) {
  const button = (
    <button
      type="button"
      {...rest}
      aria-label={label}
      className={clsx(buttonStyles.btn, buttonStyles.onlyIcon, small && buttonStyles.small, className)}
      data-ui="btn"
      data-look={look}
    >
      <Icon of={icon} />
    </button>
  );
  return plain ? button : <Tooltip text={label}>{button}</Tooltip>;
}
