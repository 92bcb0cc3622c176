import { createLink } from "@tanstack/react-router";
import type { ComponentProps } from "react";
import { type ButtonLook, buttonClass } from "./button.tsx";
import { Icon } from "./icon.tsx";

type Props = ComponentProps<"a"> & ButtonLook;

function Anchor({ look = "secondary", small, icon, className, children, ...rest }: Props) {
  return (
    <a {...rest} className={buttonClass(small, className)} data-ui="btn" data-look={look}>
      {icon && <Icon of={icon} sm={small ?? false} />}
      {children}
    </a>
  );
}

export const LinkButton = createLink(Anchor);

export const DownloadButton = Anchor;
