import { createLink } from "@tanstack/react-router";
import { clsx } from "clsx";
import type { ComponentProps } from "react";

function Anchor({ className, ...rest }: ComponentProps<"a">) {
  return <a {...rest} className={clsx("link", className)} />;
}

export const TextLink = createLink(Anchor);

export const FileLink = Anchor;
