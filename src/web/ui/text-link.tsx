import { createLink } from "@tanstack/react-router";
import { clsx } from "clsx";
import type { ComponentProps } from "react";
import styles from "./text-link.module.css";

function Anchor({ className, ...rest }: ComponentProps<"a">) {
  return <a {...rest} className={clsx(styles.link, className)} data-ui="link" />;
}

export const TextLink = createLink(Anchor);

export const FileLink = Anchor;
