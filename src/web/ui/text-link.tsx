import { createLink } from "@tanstack/react-router";
import { clsx } from "clsx";
import type { ComponentProps } from "react";

function Anchor({ className, ...rest }: ComponentProps<"a">) {
  return <a {...rest} className={clsx("link", className)} />;
}

/** A link to a screen within words. */
export const TextLink = createLink(Anchor);

/** A link within words to a file of the server. */
export const FileLink = Anchor;
