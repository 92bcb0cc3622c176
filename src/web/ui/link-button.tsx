import { createLink } from "@tanstack/react-router";
import type { ComponentProps } from "react";
import { type ButtonLook, buttonClass } from "./button.tsx";
import { Icon } from "./icon.tsx";

type Props = ComponentProps<"a"> & ButtonLook;

function Anchor({ look = "secondary", small, icon, className, children, ...rest }: Props) {
  return (
    <a {...rest} className={buttonClass(look, small, className)}>
      {icon && <Icon of={icon} sm={small ?? false} />}
      {children}
    </a>
  );
}

/** A link to a screen that looks like a button. */
export const LinkButton = createLink(Anchor);

/** A link to a file of the server that looks like a button. */
export const DownloadButton = Anchor;
